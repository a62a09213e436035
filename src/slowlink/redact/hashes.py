"""Hashes of passwords, and passwords that switches hide: whoever has them tries words until one fits."""

from __future__ import annotations

from slowlink.redact.form import Form

ELSEWHERE = (
    Form(
        "crypt(3)",
        ("$1$", "$5$", "$6$", "$7$", "$y$", "$gy$", "$2", "$3$", "$apr1$", "$argon2", "$sha1$", "$p$", "$h$"),
        r"\$(?:1|5|6|apr1|sha1|md5)\$(?:rounds=\d{1,9}\$)?[./A-Za-z\d]{1,20}\$[./A-Za-z\d]{22,86}"
        r"|\$2[abxy]?\$\d\d\$[./A-Za-z\d]{53}"
        r"|\$(?:7|y|gy|yescrypt|scrypt)\$(?:[./A-Za-z\d]{1,40}\$){1,2}[./A-Za-z\d]{20,90}"
        r"|\$3\$\$[\da-f]{32}|\$[PH]\$[./A-Za-z\d]{31}"
        r"|\$argon2(?:id?|d)\$v=\d{1,3}\$[mtp=,\d]{5,60}\$[A-Za-z\d+/]{8,90}\$[A-Za-z\d+/]{16,180}",
        "crypt(5)",
    ),
    Form(
        "hashes and hidden passwords of switches",
        ("$8$", "$9$", "$14$"),
        r"\$(?:8|9|14)\$(?:aes\d{3}-gcm\$hmac-sha\d?-\d{3}\$\d{1,9}\$)?[./A-Za-z\d+=-]{4,40}\$[./A-Za-z\d+=-]{16,200}"
        r"(?:\$[./A-Za-z\d+=-]{4,200}){0,2}"
        r"|\$9\$(?=[./\d-]{0,60}[A-Za-z])[./A-Za-z\d-]{6,400}",
        "Cisco IOS: password types 8 and 9; Junos: master password, and what may be read back",
    ),
    Form(
        "hashes of Python's passlib",
        ("$pbkdf2", "$scrypt$", "$bcrypt-sha"),
        r"\$(?:pbkdf2(?:-sha\d{1,3})?|scrypt|bcrypt-sha256)\$[\w,=]{1,40}\$[./A-Za-z\d+=]{1,90}\$[./A-Za-z\d+=]{20,180}",
        "passlib: modular crypt format",
    ),
    Form(
        "hashes of databases and web frameworks",
        ("scram-sha-", "pbkdf2_sha", "grub.pbkdf2."),
        r"SCRAM-SHA-(?:1|256|512)\$\d{1,9}:[\w+/=]{8,100}\$[\w+/=]{20,100}:[\w+/=]{20,100}"
        r"|pbkdf2_sha(?:1|256|512)\$\d{1,9}\$[\w+/=.-]{8,100}\$[\w+/=]{20,100}"
        r"|grub\.pbkdf2\.sha\d{1,3}\.\d{1,9}\.[A-F\d]{16,512}\.[A-F\d]{16,512}",
        "PostgreSQL: pg_authid; Django: password management; GRUB: grub-mkpasswd-pbkdf2",
    ),
    Form(
        "LDAP hashes",
        ("{ssha", "{sha", "{smd5", "{md5"),
        r"\{(?:S?SHA(?:224|256|384|512)?|S?MD5)\}[A-Za-z\d+/=]{20,200}",
        "RFC 2307",
    ),
    Form(
        "hashes of MySQL and Windows",
        (),
        r"(?<![A-Za-z\d*])\*[A-F\d]{40}(?![A-Za-z\d*])"
        r"|(?<![A-Za-z\d])(?:[a-fA-F\d]{32}|X{32}):[a-fA-F\d]{32}:(?:::|\[[A-Z ]{1,20}\]:LCT-)",
        "MySQL: mysql_native_password; pwdump; smbpasswd(5)",
    ),
)
"""Forms that begin with a mark, whatever stands before it."""
