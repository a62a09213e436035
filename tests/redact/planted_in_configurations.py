"""Secrets in the configuration of switches, in files of other tools, and announced by what made them."""

from __future__ import annotations

IN_CONFIGURATIONS = (
    " neighbor 10.0.0.2 password ~word~", " neighbor fe80::1 peer-group SPINE password 7 ~word~", "leaf1# vtp password ~word~",
    "leaf1(config)# enable secret ~word~", "config tacacs passkey ~word~", "nv set system aaa user cumulus password ~word~",
    "machine imap.lab login ann port 993 password ~phrase~", "rootbindpw: ~phrase~", "set(API_SECRET \"~phrase~\")",
    "const API_SECRET: &'static str = \"~word~\";", "wpa_cli -i wlan0 set_network 0 psk '\"~word~\"'", "addauth digest ann:~word~",
    "poetry config http-basic.corp ann ~word~", "SUSEConnect -r ~upper20~", "microk8s join 10.0.0.1:25000/~hex32~/~hex12~",
    "<server><id>x</id><password>{aB3~base21~}</password></server>", "parola d'ordine: ~word~",
    "the new root password is: ~word~", "> > password for node7 bmc = ~word~", "Password of user root: ~word~",
    "token issued: fo1_~url43~", "FLY_API=FlyV1 fm2_~base200~", "secret_train_~alnum32~.~alnum32~", "GenieKey ~hex8~-~hex4~-~hex4~-~hex4~-~hex12~",
    "applicationKey K005~base27~", "{\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"d\": \"~url43~\", \"x\": \"a\"}", "{\"kty\":\"RSA\",\"e\":\"AQAB\",\"d\":\"~url86~\",\"dp\":\"~url43~\"}",
    "Please use the following password to proceed to installation:\n\n~hex32~\n", "admin initial password:\n~word~",
    "[pod/a] The temporary password:\n[pod/b] ready\n[pod/a] ~word~", "<auth-user-pass>\n~word~\n~word~\n</auth-user-pass>",
    "Name;Kennung;Passwort\nA;ann;~word~", "echo '~pass~' | docker secret create db_password -", "printf %s ~word~ | podman secret create x -",
    "echo ~word~ | gh secret set TOKEN", "gpg --passphrase-fd 0 <<< \"~pass~\"", "%password%=~word~", "echo ~word~ | vault kv put secret/x value=-", "Host,Kennwort\nbmc1,~word~",
)  # fmt: skip
HARMLESS_IN_CONFIGURATIONS = (
    "enable password authentication", "vtp password required", "neighbor 10.0.0.2 password required",
    "dataset: token_dtype=uint16", "pwr=300W pw=12.5 pwm=3", "HF_TOKEN:  <set to the key 'token' in secret 'hf'>  Optional: false",
    "Failed password for root: unknown", "password of user root: expired", "x = set(token for token in tokens)", "ldap_password = {their_password}",
    "the password is: wrong", "the new password is: not the one that was sent", "tokens for expert 3: 4096", "key of rank 3: mlx5_0",
    "inst-k3x9q-oke-gpu-b200 abcdefgh12-b2c3d4e5f6a7b8c9d0e1f2",
)  # fmt: skip
