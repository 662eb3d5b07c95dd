-- Who a login is at an OpenID provider. subject is the provider's id of the person.
CREATE TABLE login_identities (
    issuer text NOT NULL,
    subject text NOT NULL,
    login_id uuid NOT NULL,
    linked_at timestamptz NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX login_identities_login ON login_identities (login_id, issuer);
