"""Which arguments of known programs are secret, one row a kind of program, as their manual pages say.

A blank between ``-p`` and a value means something else to each program: for ``docker run`` a port, for ``mysql`` the
name of a database.
"""

from __future__ import annotations

from typing import NamedTuple


class Program(NamedTuple):
    """What is secret among the arguments of a program. Source: its manual page."""

    apart: tuple[str, ...] = ()
    """Options whose next word is secret."""
    glued: tuple[str, ...] = ()
    """Options that a secret follows without a blank."""
    pairs: tuple[str, ...] = ()
    """Options whose value is ``user`` and a secret, with one of ``between`` between them; glued or apart."""
    between: str = ":"
    flags: str = ""
    """Letters without a value that may stand before the one of a pair: ``-sSu``."""
    needs: str = ""
    """Only after this word or these: a subcommand or an option."""
    last: int = 0
    """The last word is secret, when there are so many without a dash after ``needs``, or after the program."""
    shortest: int = 1
    """A last word of fewer characters is none: keys of services are long, and their messages name their commands."""
    nth: int = 0
    """This word is secret, counted after ``needs``, or after the program, without options."""
    skips: tuple[str, ...] = ()
    """Options with a value, which does not count."""
    inside: str = ""
    """The secret stands behind this sign in its word: ``user:secret``."""


_LOGIN = Program(apart=("-p", "--password", "--pass"), glued=("-p",), needs="login")
_MYSQL = Program(glued=("-p",))
_MONGO = Program(apart=("-p",), glued=("-p",))
_LDAP = Program(apart=("-w", "-W"), glued=("-w",))
_SMB = Program(pairs=("-U", "--user"), between="%")
_SMB_OPTIONS = ("--user", "--command", *(f"-{letter}" for letter in "UWIcdlmnOptsDAbTMLRiE"))
_SNMP = Program(apart=("-c", "-A", "-X"), glued=("-c", "-A", "-X"))
_BMC = Program(apart=("-P", "-p", "-k", "--password"), glued=())
_COPY = Program(pairs=("--creds", "--src-creds", "--dest-creds"))
_CURL = Program(
    pairs=("-u", "-U", "--user", "--proxy-user"),
    apart=("--pass", "--oauth2-bearer", "--key-pass"),
    flags="#0123468BGIJLMNOORSZafgijklnpqsv",
)

_ROWS: tuple[tuple[str, tuple[Program, ...]], ...] = (
    (
        "docker podman nerdctl buildah oras crane helm az cf oc argocd apptainer singularity enroot acr",
        (_LOGIN, _COPY),
    ),
    ("skopeo", (_LOGIN, _COPY)),
    ("mysql mysqldump mysqladmin mysqlimport mysqlcheck mariadb mariadb-dump", (_MYSQL,)),
    ("sqlplus expdp impdp sqlldr", (Program(nth=1, inside="/"),)),
    ("mongo mongosh mongodump mongorestore", (_MONGO,)),
    (
        "redis-cli valkey-cli",
        (Program(apart=("-a", "--pass")), Program(needs="auth", last=1), Program(needs="requirepass", nth=1)),
    ),
    ("ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldapcompare ldapmodrdn", (_LDAP,)),
    ("ldappasswd", (Program(apart=("-w", "-s", "-a"), glued=("-w", "-s")),)),
    (
        "ipmitool",
        (
            Program(apart=("-P", "-k", "-y"), glued=("-P",)),
            Program(needs="user set password", nth=2),
            Program(needs="user test", nth=3),
        ),
    ),
    ("ipmicfg", (Program(needs="-user setpwd", nth=2), Program(needs="-user add", nth=3))),
    ("samba-tool", (Program(needs="user create", nth=2), Program(needs="user add", nth=2))),
    (
        "ipmipower ipmi-power bmc-info ipmi-sel ipmi-sensors ipmiconsole racadm redfishtool ilorest ipmiutil hponcfg",
        (_BMC, Program(needs="cfguseradminpassword", nth=1, skips=("-i",))),
    ),
    (
        "openssl",
        (
            Program(apart=("-k", "-K", "-hmac", "-passwd"), glued=("pass:",)),
            Program(needs="passwd", nth=1, skips=("-salt", "-in")),
        ),
    ),
    ("mkpasswd", (Program(nth=1, skips=("-m", "--method", "-S", "--salt", "-R", "--rounds", "-P", "--password-fd")),)),
    ("smbclient rpcclient net smbget winexe wmic pth-winexe", (_SMB,)),
    (
        "smbclient",
        tuple(Program(needs=f"{share}*", nth=1, skips=_SMB_OPTIONS) for share in ("//", "\\\\")),
    ),
    ("ossutil ossutil64", (Program(apart=("-k", "-t"), needs="config"),)),
    ("ipa-client-install ipa-replica-install", (Program(apart=("-w",), glued=("-w",)),)),
    ("ipa-server-install", (Program(apart=("-p", "-a")),)),
    (
        "snmpwalk snmpget snmpgetnext snmpbulkwalk snmpbulkget snmpset snmptable snmptrap snmpstatus",
        (_SNMP,),
    ),
    (
        "fence_ipmilan fence_idrac fence_ilo fence_ilo2 fence_ilo3 fence_ilo4 fence_ilo5 fence_ilo_ssh fence_imm"
        " fence_drac fence_drac5 fence_redfish fence_apc fence_eaton_snmp fence_ipdu fence_virsh fence_vmware_rest"
        " fence_vmware_soap fence_bladecenter fence_brocade fence_hpblade fence_intelmodular fence_rsa fence_rsb"
        " fence_wti",
        (Program(apart=("-p", "--password"), glued=("-p",)),),
    ),
    ("curl", (_CURL, Program(pairs=("-b", "--cookie"), between="=", flags=_CURL.flags))),
    ("nmcli", (Program(apart=("password", "wifi-sec.psk", "802-11-wireless-security.psk", "802-1x.password")),)),
    ("wget", (Program(apart=("--password", "--http-password", "--ftp-password", "--proxy-password")),)),
    ("sshpass", (Program(apart=("-p",), glued=("-p",)),)),
    ("htpasswd", (Program(needs="-b", last=2),)),
    ("wandb", (Program(needs="login", last=1, shortest=20),)),
    (
        "vault bao",
        (Program(needs="login", last=1), Program(needs="operator unseal", nth=1), Program(needs="unwrap", nth=1)),
    ),
    (
        "weka",
        (
            Program(needs="user login", nth=2),
            Program(needs="user passwd", nth=1, skips=("--username", "--current-password")),
            Program(apart=("--password", "--current-password"), needs="user"),
            Program(needs="user add", nth=3),
        ),
    ),
    ("bw", (Program(needs="login", nth=2), Program(needs="unlock", nth=1))),
    ("gcloud", (Program(needs="activate-refresh-token", nth=2),)),
    ("az", (Program(apart=("--value",), glued=("--value=",), needs="keyvault secret set"),)),
    ("rclone", (Program(needs="obscure", nth=1), Program(needs="pass", nth=1))),
    ("http https xh xhs", (Program(pairs=("-a", "--auth")),)),
    (
        "iscsiadm",
        tuple(
            Program(apart=("-v", "--value"), needs=f"{of}.auth.password{way}")
            for of in ("node.session", "discovery.sendtargets")
            for way in ("", "_in")
        ),
    ),
    ("unzip zip", (Program(apart=("-P",)),)),
    ("7z 7za 7zz rar unrar", (Program(glued=("-p",)),)),
    ("useradd usermod", (Program(apart=("-p", "--password")),)),
    ("sqlcmd bcp isql mosquitto_pub mosquitto_sub", (Program(apart=("-P",), glued=("-P",)),)),
    ("lftp", (Program(pairs=("-u",), between=","),)),
    ("etcdctl", (Program(pairs=("--user",)), Program(needs="user add", nth=1, inside=":"))),
    ("wpa_passphrase", (Program(last=2),)),
    ("rabbitmqctl", (Program(needs="add_user", last=2), Program(needs="change_password", last=2))),
    ("xfreerdp wlfreerdp rdesktop", (Program(glued=("/p:",), apart=("-p",)),)),
    ("doctl", (Program(apart=("-t", "--access-token"), needs="auth"),)),
    ("ssh-keygen", (Program(apart=("-N", "-P")),)),
    ("mc", (Program(needs="set", nth=4), Program(needs="host add", nth=4), Program(needs="user add", nth=3))),
    ("rootpw", (Program(last=1),)),
    ("twine", (Program(apart=("-p", "--password")),)),
    ("nsupdate dig delv", (Program(pairs=("-y",)),)),
    ("influx", (Program(apart=("-t", "--token", "-p", "--password")),)),
    ("gh", (Program(apart=("-b", "--body"), glued=("-b", "--body="), needs="secret set"),)),
    ("pulumi", (Program(needs="--secret", nth=2),)),
    ("keytool jarsigner", (Program(apart=("-storepass", "-keypass")),)),
    ("convertto-securestring", (Program(apart=("-String", "-string"), last=1),)),
    ("schtasks schtasks.exe", (Program(apart=("/rp", "/RP", "/Rp", "/p", "/P")),)),
    ("psexec psexec.py cqlsh rabbitmqadmin", (Program(apart=("-p",)),)),
    ("ctr", (Program(pairs=("--user", "-u")),)),
    ("esxcli vcli", (Program(apart=("-p",)),)),
    ("kadmin kadmin.local", (Program(apart=("-w",)),)),
    ("pro ua", (Program(needs="attach", nth=1),)),
    ("subscription-manager", (Program(apart=("--activationkey",), glued=("--activationkey=",)),)),
    ("check_mysql check_mysql_query check_pgsql check_ldap check_nt", (Program(apart=("-p", "-P")),)),
    ("check_snmp check_ifstatus check_ifoperstatus", (_SNMP, Program(apart=("-C",), glued=("-C",)))),
    ("check_http check_curl", (Program(pairs=("-a", "-b", "--authorization", "--proxy-authorization")),)),
    ("wpa_cli", (Program(apart=("psk", "password", "sae_password")),)),
    ("addauth", (Program(needs="digest", nth=1, inside=":"),)),
    ("poetry", (Program(needs="http-basic.*", nth=2),)),
    ("suseconnect", (Program(apart=("-r", "--regcode")),)),
    ("microk8s", (Program(needs="join", nth=1, inside="/"),)),
    ("check_ipmi_sensor", (Program(apart=("-P", "-X")),)),
)
PROGRAMS: dict[str, tuple[Program, ...]] = {}
for _names, _programs in _ROWS:
    for _name in _names.split():
        PROGRAMS[_name] = (*PROGRAMS.get(_name, ()), *_programs)
MARKS = (
    *("docker", "podman", "nerdctl", "login", "creds", "mysql", "maria", "mongo", "redis", "ldap", "ipmi", "bmc-info"),
    *("fence_", "racadm", "redfishtool", "ilorest", "hponcfg", "smb", "rpcclient", "winexe", "snmp", "curl", "zip"),
    *(
        "useradd",
        "usermod",
        "sqlcmd",
        "bcp",
        "mosquitto",
        "lftp",
        "etcdctl",
        "rabbitmq",
        "freerdp",
        "rdesktop",
        "doctl",
    ),
    *(
        "nsupdate",
        "dig ",
        "delv",
        "influx",
        "secret set",
        "twine",
        "pulumi",
        "keytool",
        "jarsigner",
        "openssl",
        "cryptsetup",
    ),
    *(
        "rootpw",
        "psexec",
        "cqlsh",
        "kinit",
        "sudo",
        "ssh-keygen",
        "from-literal",
        "net ads",
        "net use",
        "net.exe use",
        "isql",
    ),
    *("convertto-secure", "schtasks", "vault", "wget", "com2sec", "sink", "weka"),
    *("samba-tool", "mkpasswd", "sqlplus", "expdp", "impdp", "sqlldr", "refresh-token", "rclone", "valkey"),
    *("esxcli", "vcli", "kadmin", "--user", "subscription-manager", "check_mysql", "check_pgsql", "check_ldap"),
    *("wpa_cli", "addauth", "http-basic", "suseconnect", "microk8s"),
    *("ossutil", "ipa-client", "ipa-replica", "ipa-server"),
    *("check_snmp", "check_if", "check_http", "check_curl", "check_ipmi", "check_nt", "pro attach", "ua attach"),
)
"""In small letters: a line that holds none of these holds no such program, or only one whose option is a mark."""
