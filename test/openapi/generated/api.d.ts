export interface paths {
    "/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A password, and a second-factor code where the user has one, for a session of its own.
         * @description - A wrong password, an unknown user, a disabled user and a user without a password get the same bytes after the same work.
         *     - A code is judged only after a right password, and works once. A code for a user without a second factor is ignored.
         *     - Credentials in the URL are never read. None or several of the three names, an empty text or another type: 400.
         *     - 403 `forbidden` is the veto of the server's `beforeLogin`; `message` is its reason.
         */
        post: operations["logIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/pkce/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A signed-in client obtains an authorization code for another of its user's devices (RFC 7636).
         * @description - The code dies with the session that asked for it, and opens no more than that session may, nor for longer where that has a lifetime of its own.
         *     - The sign-in of that session must be recent (`pkce.maxAge` of the server, by default 10 minutes): else 403 `reauthentication-required`. With `pkce.endWithIssuer`, what the code opens ends with the session that asked, and a session that was opened so is 403 `forbidden` here.
         *     - A server with a sign-in page of its own calls `issueAuthorizationCode` instead: see `docs/host-api.md`.
         */
        post: operations["issueAuthorizationCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/pkce/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An authorization code and its verifier for tokens and a session of their own (RFC 6749 §4.1.3, RFC 7636 §4.5).
         * @description - A wrong verifier uses the code up. A code that is used twice is 400 `invalid_grant`; later than 20 s after its first use, the session that it opened ends, too (RFC 6749 §4.1.2).
         */
        post: operations["exchangeCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A refresh token for the next pair of tokens (RFC 6749 §6).
         * @description - The token that was sent is spent. Sent again while nothing of the new pair was used, or within 30 s (`lifetimes.refreshGrace`), it gets the same successor: a lost answer is no sign-out.
         *     - Sent later, it ends the session (RFC 9700 §4.14.2). The new pair is used once its refresh token is rotated, or its access token is seen by a guard or on a socket, in whichever process.
         *     - A client stores the pair before it uses any of it, and reads its store again right before it refreshes. The absolute end of the session never moves.
         */
        post: operations["refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same as `POST /logout`, for old clients.
         * @description - `HEAD` is 405. The token stands in a header, which no page of another origin can send.
         */
        get: operations["logOutByGet"];
        put?: never;
        /**
         * Ends the session of the token, and with it all that was issued under it.
         * @description - It is answered only after the store has confirmed the end.
         */
        post: operations["logOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who the token belongs to.
         * @description - 403 `forbidden`: a token with less than the scope `*`, unless it is a named token. What apps may know is at `GET /oauth/userinfo`.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where this user is signed in.
         * @description - No token is in it, nor anything that one could be made from.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /** Ends all sessions of this user but the one that asks. */
        delete: operations["endOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Ends one session of this user.
         * @description - Another user's session is 404, exactly as one that does not exist.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/socket-ticket": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A ticket that opens one WebSocket, for browsers, which cannot send headers with an upgrade. */
        post: operations["issueSocketTicket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/access-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The named tokens of this user.
         * @description - No secret is in it.
         */
        get: operations["listNamedTokens"];
        put?: never;
        /**
         * Makes a named token, for a bot or a script.
         * @description - A user may have 20. Where several are asked for at once and would be too many together, each may be refused: ask again.
         *     - 403 `reauthentication-required`: ask for the password, and send it along. 401 `totp-required`: send a code, too, or a passkey in the place of both. 401 with `details.wrong` `password` or `passkey`: it was wrong, and the session goes on.
         */
        post: operations["makeNamedToken"];
        /** Ends all named tokens of this user. */
        delete: operations["endNamedTokens"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/access-tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends one of them. */
        delete: operations["endNamedToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether this user has TOTP, and how many recovery codes are left. */
        get: operations["getTotp"];
        put?: never;
        /**
         * Begins enrolment; nothing is active yet.
         * @description - A wrong password is 401 `Unauthorized` with `details: { wrong: "password" }`.
         *     - A user with a factor of the server's own, or with a passkey where one is demanded, has to show it first: 403 `reauthentication-required`.
         */
        post: operations["beginTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The app's first code switches the second factor on; the user's other sessions end.
         * @description - 409 `totp-not-enabled`: no enrolment is waiting, or it began 600 s ago.
         */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/totp/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Password and code switch it off; the user's other sessions end. */
        post: operations["disableTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/totp/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ten new recovery codes; the old ones are void. */
        post: operations["replaceRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a browser needs to show a passkey.
         * @description - The same for anybody, and nothing is stored. With a token: those for `POST /auth/reauthenticate`, and for the proof in `POST /auth/passkeys/options`.
         */
        post: operations["getPasskeyRequestOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkey/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A passkey for a session of its own, as a password is for one at `POST /login`.
         * @description - A passkey whose user was verified, by PIN, finger or face, is both factors: no code is asked for after it.
         *     - `details.signal` of a 401 is `unknown-credential` for a passkey that is not known here.
         */
        post: operations["logInByPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The passkeys of this user, the oldest first. */
        get: operations["listPasskeys"];
        put?: never;
        /**
         * Adds the passkey that the browser has made.
         * @description - The options are used up, by the session that has asked for them. A user may have 20 passkeys.
         */
        post: operations["addPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a browser needs to make a passkey.
         * @description - For a session that has signed in within ten minutes, with every factor due, or that proves it in the body. Else 403 `reauthentication-required`.
         */
        post: operations["getPasskeyCreationOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Gives a passkey another name. */
        post: operations["renamePasskey"];
        /**
         * Removes a passkey; the other sessions of its user end.
         * @description - For a session that signed in within ten minutes, with every factor due: else 403 `reauthentication-required`, and `POST /auth/reauthenticate` first.
         *     - 409 `last-sign-in-method`: the user has neither a password nor another passkey.
         */
        delete: operations["removePasskey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/reauthenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Proves anew who one is: for this session it is then as if it had just signed in.
         * @description - Routes that ask for a fresh sign-in take it from then on. No other session changes, and none is opened.
         *     - 401 with `details.wrong`: it was wrong, and the session goes on.
         *     - Also for a session that has yet to show the second factor that is demanded.
         */
        post: operations["reauthenticate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An app sends its user's browser here, and gets a code back by a redirect (RFC 6749 §4.1, RFC 7636).
         * @description - Answers a page or a redirect, never JSON: 303 with `code`, `state` and `iss` (RFC 9207), or with `error`, `error_description`, `state` and `iss`.
         *     - Whoever is signed in is known by the cookie: see `docs/cookies.md`. At most 4,096 characters. `HEAD` is 405.
         *     - The code works once, within 60 s, for this app, redirect URI and challenge.
         */
        get: operations["authorize"];
        put?: never;
        /**
         * The same as `GET /oauth/authorize`, as a form (OpenID Connect Core §3.1.2.1).
         * @description - Answers 303 to the `GET` with all of it.
         */
        post: operations["authorizeByForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A code with its verifier, or a refresh token, for tokens (RFC 6749 §4.1.3, RFC 6749 §6).
         * @description - A code that is shown with another app, redirect URI or verifier is used up. Shown again more than 20 s after its first use, it ends the session that it opened (RFC 6749 §4.1.2).
         *     - An app that authenticates itself keeps its refresh token; it is answered again. Refresh tokens of `POST /auth/pkce/token` are not taken here, nor those of here there.
         */
        post: operations["getTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An app signs its user out: the session of the token ends (RFC 7009).
         * @description - `{}`, also for a token that is unknown, over, or of another app: nothing happens then.
         */
        post: operations["revokeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A service asks whether a token is good at this moment (RFC 7662).
         * @description - For apps that authenticate themselves and have `mayIntrospect`; there where some client has it, or clients are in a store.
         */
        post: operations["introspectToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/userinfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who has signed in to an app (OpenID Connect Core §5.3).
         * @description - The token is read from `Authorization: Bearer` alone, never from a body.
         */
        get: operations["getUserinfo"];
        put?: never;
        /**
         * The same as `GET /oauth/userinfo`.
         * @description - The token is read from `Authorization: Bearer` alone, never from a body.
         */
        post: operations["getUserinfoByPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/browser-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A web app that is signed in by a token signs its browser in, so that apps find its user there.
         * @description - 204 without a body, and the cookie (see `docs/cookies.md`) of a session of its own, which ends with the one that asks. It is never fresher than that one. A browser that is signed in by the same sign-in keeps the cookie that it has; for any other the sign-in must be recent, as for `POST /auth/pkce/authorize`: else 403 `reauthentication-required`.
         *     - The body is `{}` as `application/json`. `Sec-Fetch-Site: same-origin`, or `Origin` equal to `pagesOrigin`; else 403. Neither a named token nor an app may ask.
         */
        post: operations["signBrowserIn"];
        /**
         * A page signs its browser out, so that the next sign-in asks for the password.
         * @description - The session that the cookie is of ends, whoever has signed in, and so do those of the apps that were signed in to by it and have no refresh token. The browser forgets the cookie. 204 as well where nobody was signed in.
         *     - `Sec-Fetch-Site: same-origin`, or `Origin` equal to `pagesOrigin`; else 403. No token is looked at.
         */
        delete: operations["signBrowserOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/consents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this user has allowed which app.
         * @description - Apps of the host's own are not asked about, so they are not listed; their sessions are.
         *     - `resources`: what it may do at other APIs, of those that it is registered for.
         */
        get: operations["listConsents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/consents/{clientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Takes back what this user has allowed an app, and ends its sessions of this user.
         * @description - 404 where there was neither a consent nor a session.
         */
        delete: operations["revokeConsent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What apps have to know of the server (RFC 8414, OpenID Connect Discovery).
         * @description - The same document is answered by `auth.wellKnown` at the root of the site: see `docs/oauth.md`.
         */
        get: operations["getServerMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public keys with which others may check access tokens (RFC 7517 §5).
         * @description - `keys` is empty when the signer publishes none. Those of the shipped signer have `kid`, `alg` and `use`.
         */
        get: operations["getKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AddPasskeyAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                passkey: {
                    /** @description its credential id, base64url */
                    id: string;
                    /** @description as it was given */
                    name: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC
                     */
                    createdAt: string;
                    lastUsedAt: string | null;
                    /** @description whether it may be on several devices */
                    synced: boolean;
                    /** @description whether it is, as far as its authenticator says */
                    backedUp: boolean;
                    transports: string[];
                    /** @description the AAGUID of the authenticator; null where it does not say */
                    model: string | null;
                    suspectedCloneAt: string | null;
                };
                /** @description ten, shown this once: with the first passkey of a user without another second factor */
                recoveryCodes?: string[];
            };
        };
        AddPasskeyRequest: {
            /** @description what `navigator.credentials.create` has answered, as JSON */
            response: {
                id: string;
                rawId: string;
                /** @enum {string} */
                type: "public-key";
                response: {
                    clientDataJSON: string;
                    attestationObject: string;
                    transports?: string[];
                };
            };
            /** @description 1-100 characters, none of them control or bidirectional ones; left out: `Passkey` */
            name?: string;
        };
        AppForbidden: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "insufficient_scope";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        AppInvalidClient: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "invalid_client";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        AppInvalidGrant: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "invalid_grant";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        AppInvalidRequest: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "invalid_request";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
            details?: {
                issues: {
                    /** @description the field */
                    path: string;
                    /** @description what was expected there */
                    message: string;
                }[];
            };
        };
        AppInvalidScope: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "invalid_scope";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        AppInvalidTarget: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "invalid_target";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        AppPayloadTooLarge: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "invalid_request";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        AppTemporarilyUnavailable: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "temporarily_unavailable";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        AppTooManyRequests: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "too-many-requests";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
            details: {
                /** @description seconds */
                retryAfter: number;
            };
        };
        AppUnauthorized: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "invalid_token";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
            details?: {
                /**
                 * @description it was wrong; a session goes on
                 * @enum {string}
                 */
                wrong: "password" | "passkey";
                /**
                 * @description for `PublicKeyCredential.signalUnknownCredential`: there is no such passkey
                 * @enum {string}
                 */
                signal?: "unknown-credential";
            };
        };
        AppUnauthorizedClient: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "unauthorized_client";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        AppUnsupportedGrantType: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "unsupported_grant_type";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        AppUnsupportedMediaType: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "invalid_request";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        AuthorizeByFormRequest: {
            /** @description of the app */
            client_id: string;
            /** @enum {string} */
            response_type: "code";
            /** @description one of the app's, byte for byte; of a native app on a loopback address the port may differ */
            redirect_uri: string;
            /** @description what the app asks for, with blanks between; left out: its `defaultScopes` */
            scope?: string;
            /** @description 43 characters base64url (RFC 7636 §4.2); an app with `allowNonceInsteadOfPkce` may send a `nonce` instead */
            code_challenge: string;
            /** @enum {string} */
            code_challenge_method: "S256";
            /** @description comes back as it was sent; at most 1024 characters */
            state?: string;
            /** @description stands in the ID token; at most 512 characters */
            nonce?: string;
            /** @description `none`, `login`, `consent`, `select_account`; `none` alone: no page is shown, but an error sent back */
            prompt?: string;
            /** @description seconds that the sign-in may be old */
            max_age?: string;
            /** @description an ID token of this app: who is to sign in */
            id_token_hint?: string;
            /** @description how sure the sign-in should be: `urn:mar:2fa` with a second factor */
            acr_values?: string;
            /** @description the API that tokens are to be for (RFC 8707); may be repeated */
            resource?: string[];
            /**
             * @description the only one there is
             * @enum {string}
             */
            response_mode?: "query";
        };
        BeginTotpAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description base32, for typing */
                secret: string;
                /** @description what the QR code holds */
                otpauthUri: string;
                /** @description seconds, 600 */
                expiresIn: number;
            };
        };
        BeginTotpRequest: {
            /** @description the user's, once more */
            password: string;
        };
        ConfirmTotpAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description ten, shown this once */
                recoveryCodes: string[];
            };
        };
        ConfirmTotpRequest: {
            /** @description six digits of the app */
            code: string;
        };
        DisableTotpAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for people */
                message: string;
            };
        };
        DisableTotpRequest: {
            /** @description the user's, once more */
            password: string;
            /** @description six digits, or a recovery code; at most 64 characters */
            code: string;
        };
        EndNamedTokenAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @enum {number} */
                revoked: 1;
            };
        };
        EndNamedTokensAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description how many ended */
                revoked: number;
            };
        };
        EndOtherSessionsAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description how many ended */
                revoked: number;
            };
        };
        EndSessionAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @enum {number} */
                revoked: 1;
            };
        };
        ExchangeCodeAnswer: {
            /** @description a JWT; treat it as opaque */
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description seconds until the access token ends */
            expires_in: number;
            /** @description replaces the one before; store the pair before you use any of it */
            refresh_token: string;
        };
        ExchangeCodeRequest: {
            /** @description from `POST /auth/pkce/authorize`, or from the server's own page */
            authorizationCode: string;
            /** @description 43 to 128 characters of `A-Z a-z 0-9 - . _ ~` (RFC 7636 §4.1) */
            codeVerifier: string;
        };
        Forbidden: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "forbidden";
            /** @description for people */
            message: string;
        };
        GetKeysAnswer: {
            keys: ({
                /** @description kind of key */
                kty: string;
                /** @description which of them signed a token */
                kid?: string;
                /** @description such as `ES256` */
                alg?: string;
                /** @enum {string} */
                use?: "sig";
                /** @description of an elliptic curve: its name */
                crv?: string;
                x?: string;
                y?: string;
                /** @description of RSA */
                n?: string;
                e?: string;
            } & {
                [key: string]: unknown;
            })[];
        };
        GetMeAnswer: {
            /** @enum {boolean} */
            success: true;
            /** @description the user's id */
            _id: string;
            /** @description for display */
            name: string;
            username: string;
            /**
             * @description `offline` when the server does not say
             * @enum {string}
             */
            status: "online" | "away" | "busy" | "offline";
        } & {
            [key: string]: unknown;
        };
        GetPasskeyCreationOptionsAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description sealed; good for five minutes, once */
                challenge: string;
                rp: {
                    /** @description the domain */
                    id: string;
                    /** @description of the service */
                    name: string;
                };
                user: {
                    /** @description base64url, 32 random bytes: one for each user */
                    id: string;
                    /** @description the user name */
                    name: string;
                    displayName: string;
                };
                pubKeyCredParams: {
                    /** @enum {string} */
                    type: "public-key";
                    /** @description of COSE */
                    alg: number;
                }[];
                /** @description milliseconds, 300,000 */
                timeout: number;
                excludeCredentials: {
                    /** @enum {string} */
                    type: "public-key";
                    /** @description base64url */
                    id: string;
                    transports: string[];
                }[];
                authenticatorSelection: {
                    /** @enum {string} */
                    residentKey: "required";
                    /** @enum {boolean} */
                    requireResidentKey: true;
                    /** @enum {string} */
                    userVerification: "required";
                };
                /** @enum {string} */
                attestation: "none";
                extensions: {
                    /** @enum {boolean} */
                    credProps: true;
                };
            };
        };
        GetPasskeyCreationOptionsRequest: {
            /** @description with `code`, where the user has a second factor; or `passkey` */
            password?: string;
            /** @description six digits, or a recovery code; at most 64 characters */
            code?: string;
            /** @description what `navigator.credentials.get` has answered to the options of `POST /auth/passkey/options`, as JSON */
            passkey?: {
                id: string;
                rawId: string;
                /** @enum {string} */
                type: "public-key";
                response: {
                    clientDataJSON: string;
                    authenticatorData: string;
                    signature: string;
                    userHandle?: string | null;
                };
            };
        };
        GetPasskeyRequestOptionsAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description sealed; good for five minutes, once */
                challenge: string;
                /** @description the domain that passkeys are made for */
                rpId: string;
                /** @description milliseconds, 300,000 */
                timeout: number;
                /** @description left out: any passkey of this site */
                allowCredentials?: {
                    /** @enum {string} */
                    type: "public-key";
                    /** @description base64url */
                    id: string;
                    transports: string[];
                }[];
                /** @enum {string} */
                userVerification: "required" | "discouraged";
            };
        };
        GetServerMetadataAnswer: {
            /** @description as it stands in tokens */
            issuer: string;
            authorization_endpoint: string;
            token_endpoint: string;
            jwks_uri: string;
        } & {
            [key: string]: unknown;
        };
        GetTokensAnswer: {
            /** @description a JWT (RFC 9068); treat it as opaque */
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description seconds until the access token ends */
            expires_in: number;
            /** @description what was granted, which may be less than was asked for */
            scope: string;
            /** @description with `offline_access`, and for native apps; of a public app each replaces the one before */
            refresh_token?: string;
            /** @description a JWT, with the scope `openid`: who has signed in */
            id_token?: string;
        };
        GetTokensRequest: {
            /**
             * @description what is exchanged
             * @enum {string}
             */
            grant_type: "authorization_code" | "refresh_token";
            /** @description of the first */
            code?: string;
            /** @description of the first: the one that the code was sent to */
            redirect_uri?: string;
            /** @description of the first (RFC 7636 §4.1) */
            code_verifier?: string;
            /** @description of the second */
            refresh_token?: string;
            /** @description of the second: less than was granted */
            scope?: string;
            /** @description the API that the access token is to be for (RFC 8707) */
            resource?: string;
            /** @description of an app without `Authorization: Basic` */
            client_id?: string;
            /** @description of an app that sends it in the body */
            client_secret?: string;
            /** @description of an app with keys of its own: `iss` and `sub` its id, `aud` the issuer or this endpoint, `exp` at most 5 minutes ahead, `jti` used once (RFC 7523 §3) */
            client_assertion?: string;
            /**
             * @description with it
             * @enum {string}
             */
            client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        };
        GetTotpAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                enabled: boolean;
                recoveryCodesLeft: number;
            };
        };
        GetUserinfoAnswer: {
            /** @description the user's id */
            sub: string;
            /** @description with `profile` */
            name?: string;
            /** @description with `profile` */
            preferred_username?: string;
        } & {
            [key: string]: unknown;
        };
        GetUserinfoByPostAnswer: {
            /** @description the user's id */
            sub: string;
            /** @description with `profile` */
            name?: string;
            /** @description with `profile` */
            preferred_username?: string;
        } & {
            [key: string]: unknown;
        };
        IntrospectTokenAnswer: {
            /** @description false for every other token, whatever the reason, and nothing besides */
            active: boolean;
            /** @description what the token may do */
            scope?: string;
            /** @description the app; of a token of your own clients the API's name */
            client_id?: string;
            /** @description of the user */
            username?: string;
            /** @description the user's id */
            sub?: string;
            /** @description the issuer */
            iss?: string;
            /** @description when it ends, seconds since 1970 */
            exp?: number;
            /** @description the session */
            sid?: string;
            /** @description when the user signed in */
            auth_time?: number;
            /** @description how (RFC 8176) */
            amr?: string[];
            /** @description of an access token: the API */
            aud?: string;
            /** @description of an access token */
            iat?: number;
            /**
             * @description of an access token
             * @enum {string}
             */
            token_type?: "Bearer";
        };
        IntrospectTokenRequest: {
            /** @description an access token for one of its `resources`, or a refresh token of its own */
            token: string;
            /** @description not needed */
            token_type_hint?: string;
            /** @description of an app without `Authorization: Basic` */
            client_id?: string;
            /** @description of an app that sends it in the body */
            client_secret?: string;
            /** @description of an app with keys of its own: `iss` and `sub` its id, `aud` the issuer or this endpoint, `exp` at most 5 minutes ahead, `jti` used once (RFC 7523 §3) */
            client_assertion?: string;
            /**
             * @description with it
             * @enum {string}
             */
            client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        };
        InvalidRequest: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "invalid-request";
            /** @description for people */
            message: string;
            details?: {
                issues: {
                    /** @description the field */
                    path: string;
                    /** @description what was expected there */
                    message: string;
                }[];
            };
        };
        IssueAuthorizationCodeAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description works once */
                authorizationCode: string;
                /** @description seconds, 60 */
                expiresIn: number;
            };
        };
        IssueAuthorizationCodeRequest: {
            /** @description 43 characters base64url: SHA-256 of the verifier (RFC 7636 §4.2) */
            codeChallenge: string;
            /**
             * @description the only one there is
             * @enum {string}
             */
            codeChallengeMethod?: "S256";
        };
        IssueSocketTicketAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description sent as a sub-protocol, after `auth.ticket` */
                ticket: string;
                /** @description seconds, 30 */
                expiresIn: number;
            };
        };
        LastSignInMethod: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "last-sign-in-method";
            /** @description for people */
            message: string;
        };
        ListConsentsAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                consents: {
                    /** @description for `DELETE` */
                    clientId: string;
                    /** @description of the app; null when there is none any more */
                    name: string | null;
                    /** @description at the own API of the server */
                    scopes: string[];
                    resources: {
                        /** @description a URI */
                        resource: string;
                        scopes: string[];
                    }[];
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC
                     */
                    grantedAt: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC
                     */
                    updatedAt: string;
                }[];
            };
        };
        ListNamedTokensAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                accessTokens: {
                    /** @description no credential; the id of its session */
                    id: string;
                    /** @description as it was given */
                    name: string;
                    /** @description `*` is everything */
                    scope: string[];
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC
                     */
                    createdAt: string;
                    /**
                     * Format: date-time
                     * @description noted once a minute at most
                     */
                    lastSeenAt: string;
                    /**
                     * Format: date-time
                     * @description it has no other end
                     */
                    expiresAt: string;
                    /** @description of the last use that was noted */
                    ip: string | null;
                }[];
            };
        };
        ListPasskeysAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                passkeys: {
                    /** @description its credential id, base64url */
                    id: string;
                    /** @description as it was given */
                    name: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC
                     */
                    createdAt: string;
                    lastUsedAt: string | null;
                    /** @description whether it may be on several devices */
                    synced: boolean;
                    /** @description whether it is, as far as its authenticator says */
                    backedUp: boolean;
                    transports: string[];
                    /** @description the AAGUID of the authenticator; null where it does not say */
                    model: string | null;
                    suspectedCloneAt: string | null;
                }[];
            };
        };
        ListSessionsAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                sessions: {
                    /** @description no credential */
                    id: string;
                    /** @description whether it is the one that asks */
                    current: boolean;
                    /**
                     * @description how it was opened
                     * @enum {string}
                     */
                    kind: "login" | "pkce" | "browser" | "token" | "oauth";
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC
                     */
                    createdAt: string;
                    /**
                     * Format: date-time
                     * @description noted once in a twentieth of `sessionIdle`
                     */
                    lastSeenAt: string;
                    /**
                     * Format: date-time
                     * @description the absolute end
                     */
                    expiresAt: string;
                    /** @description of the last use that was noted */
                    ip: string | null;
                    userAgent: string | null;
                    /** @description the device in words, such as `Firefox on Linux`; of a named token or an app, its name */
                    name: string | null;
                    /** @description open sockets in the process that answers */
                    liveSockets: number;
                    /** @description the `id` of the session in this list that it was opened from, such as the browser in which the user signed in to an app; one of the kind `pkce` may be on another device */
                    openedBy: string | null;
                }[];
            };
        };
        LogInAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description to be sent as `X-User-Id` */
                userId: string;
                /** @description to be sent as `X-Auth-Token` or `Authorization: Bearer`; lives until the session ends, with `refreshable` for `expiresIn` seconds */
                authToken: string;
                me: {
                    /** @description the user's id */
                    _id: string;
                    /** @description for display */
                    name: string;
                    username: string;
                    /**
                     * @description `offline` when the server does not say
                     * @enum {string}
                     */
                    status: "online" | "away" | "busy" | "offline";
                } & {
                    [key: string]: unknown;
                };
                /**
                 * @description this user must have a second factor and has none: nothing but enrolment is open
                 * @enum {boolean}
                 */
                enrolmentRequired?: true;
                /** @description with `refreshable` only: for `POST /auth/refresh` */
                refreshToken?: string;
                /** @description with `refreshable` only: seconds that `authToken` lives */
                expiresIn?: number;
            };
        };
        LogInByPasskeyAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description to be sent as `X-User-Id` */
                userId: string;
                /** @description as that of `POST /login` */
                authToken: string;
                me: {
                    /** @description the user's id */
                    _id: string;
                    /** @description for display */
                    name: string;
                    username: string;
                    /**
                     * @description `offline` when the server does not say
                     * @enum {string}
                     */
                    status: "online" | "away" | "busy" | "offline";
                } & {
                    [key: string]: unknown;
                };
                /** @description for `PublicKeyCredential.signalAllAcceptedCredentials` */
                passkeys: {
                    rpId: string;
                    /** @description base64url */
                    userHandle: string;
                    /** @description all that the user has */
                    credentialIds: string[];
                };
                /** @description with `refreshable` only: for `POST /auth/refresh` */
                refreshToken?: string;
                /** @description with `refreshable` only: seconds that `authToken` lives */
                expiresIn?: number;
            };
        };
        LogInByPasskeyRequest: {
            /** @description what `navigator.credentials.get` has answered, as JSON */
            response: {
                id: string;
                rawId: string;
                /** @enum {string} */
                type: "public-key";
                response: {
                    clientDataJSON: string;
                    authenticatorData: string;
                    signature: string;
                    userHandle?: string | null;
                };
            };
            /**
             * @description `refreshable`: a short `authToken` and a `refreshToken`, for `POST /auth/refresh`; left out: `session`
             * @enum {string}
             */
            tokens?: "session" | "refreshable";
        };
        LogInRequest: {
            /** @description as typed: not trimmed, not normalised */
            password: string;
            /** @description exactly one of `email`, `username` and `user`; at most 320 characters, Unicode form NFKC, no control characters */
            email?: string;
            /** @description exactly one of the three */
            username?: string;
            /** @description exactly one of the three: names the account in any way that the server allows */
            user?: string;
            /** @description six digits of the app, or a recovery code; at most 64 characters */
            code?: string;
            /** @description instead of `code`: what `navigator.credentials.get` has answered to `details.passkeyOptions` of a 401 `totp-required`, as JSON */
            passkey?: {
                id: string;
                rawId: string;
                /** @enum {string} */
                type: "public-key";
                response: {
                    clientDataJSON: string;
                    authenticatorData: string;
                    signature: string;
                    userHandle?: string | null;
                };
            };
            /**
             * @description `refreshable`: a short `authToken` and a `refreshToken`, for `POST /auth/refresh`; left out: `session`
             * @enum {string}
             */
            tokens?: "session" | "refreshable";
        };
        LogOutAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for people */
                message: string;
            };
        };
        LogOutByGetAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for people */
                message: string;
            };
        };
        MakeNamedTokenAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for `DELETE` */
                id: string;
                /** @description `mar_pat_…`, shown this once */
                token: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                expiresAt: string;
            };
        };
        MakeNamedTokenRequest: {
            /** @description 1-100 characters, none of them control or bidirectional ones */
            name: string;
            /** @description words, up to 1,000 characters in all; left out: `*` */
            scope?: string | string[];
            /** @description seconds, 60 to 31,536,000 (365 days); left out: 7,776,000 (90 days) */
            expiresIn?: number;
            /** @description with `code`, where the user has a second factor; or `passkey` */
            password?: string;
            /** @description six digits, or a recovery code; at most 64 characters */
            code?: string;
            /** @description what `navigator.credentials.get` has answered to the options of `POST /auth/passkey/options`, as JSON */
            passkey?: {
                id: string;
                rawId: string;
                /** @enum {string} */
                type: "public-key";
                response: {
                    clientDataJSON: string;
                    authenticatorData: string;
                    signature: string;
                    userHandle?: string | null;
                };
            };
        };
        NotFound: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "not-found";
            /** @description for people */
            message: string;
        };
        OAuthInvalidGrant: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "invalid_grant";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        OAuthInvalidRequest: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "invalid_request";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
            details?: {
                issues: {
                    /** @description the field */
                    path: string;
                    /** @description what was expected there */
                    message: string;
                }[];
            };
        };
        OAuthPayloadTooLarge: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "payload-too-large";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        OAuthTemporarilyUnavailable: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "temporarily-unavailable";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        OAuthTooManyRequests: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "too-many-requests";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
            details: {
                /** @description seconds */
                retryAfter: number;
            };
        };
        OAuthUnsupportedMediaType: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "unsupported-media-type";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        PasskeyExists: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "passkey-exists";
            /** @description for people */
            message: string;
        };
        PayloadTooLarge: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "payload-too-large";
            /** @description for people */
            message: string;
        };
        ReauthenticateAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                authenticatedAt: string;
                methods: ("pwd" | "otp" | "recovery" | "passkey" | "host" | "mfa")[];
            };
        };
        ReauthenticateRequest: {
            /** @description with `code`, where the user has a second factor; or `passkey` */
            password?: string;
            /** @description six digits, or a recovery code; at most 64 characters */
            code?: string;
            /** @description what `navigator.credentials.get` has answered to the options of `POST /auth/passkey/options`, as JSON */
            passkey?: {
                id: string;
                rawId: string;
                /** @enum {string} */
                type: "public-key";
                response: {
                    clientDataJSON: string;
                    authenticatorData: string;
                    signature: string;
                    userHandle?: string | null;
                };
            };
        };
        ReauthenticationRequired: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "reauthentication-required";
            /** @description for people */
            message: string;
            details?: {
                /** @description seconds that the sign-in may be old */
                maxAge: number;
            };
        };
        RefreshAnswer: {
            /** @description a JWT; treat it as opaque */
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description seconds until the access token ends */
            expires_in: number;
            /** @description replaces the one before; store the pair before you use any of it */
            refresh_token: string;
        };
        RefreshRequest: {
            /** @description exactly one of the two */
            refreshToken?: string;
            /** @description the same under its OAuth name */
            refresh_token?: string;
        };
        RemovePasskeyAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for people */
                message: string;
            };
        };
        RenamePasskeyAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description as it is kept */
                name: string;
            };
        };
        RenamePasskeyRequest: {
            /** @description 1-100 characters, none of them control or bidirectional ones */
            name: string;
        };
        ReplaceRecoveryCodesAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description ten, shown this once */
                recoveryCodes: string[];
            };
        };
        ReplaceRecoveryCodesRequest: {
            /** @description the user's, once more */
            password: string;
            /** @description six digits, or a recovery code; at most 64 characters */
            code: string;
        };
        RevokeConsentAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description how many sessions have ended */
                revoked: number;
            };
        };
        RevokeTokenAnswer: Record<string, never>;
        RevokeTokenRequest: {
            /** @description a refresh token or an access token of the app */
            token: string;
            /** @description not needed */
            token_type_hint?: string;
            /** @description of an app without `Authorization: Basic` */
            client_id?: string;
            /** @description of an app that sends it in the body */
            client_secret?: string;
            /** @description of an app with keys of its own: `iss` and `sub` its id, `aud` the issuer or this endpoint, `exp` at most 5 minutes ahead, `jti` used once (RFC 7523 §3) */
            client_assertion?: string;
            /**
             * @description with it
             * @enum {string}
             */
            client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        };
        SecondFactorEnrolmentRequired: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "second-factor-enrolment-required";
            /** @description for people */
            message: string;
        };
        SignBrowserInRequest: Record<string, never>;
        TemporarilyUnavailable: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "temporarily-unavailable";
            /** @description for people */
            message: string;
        };
        TooManyNamedTokens: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "too-many-named-tokens";
            /** @description for people */
            message: string;
        };
        TooManyPasskeys: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "too-many-passkeys";
            /** @description for people */
            message: string;
        };
        TooManyRequests: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "too-many-requests";
            /** @description for people */
            message: string;
            details: {
                /** @description seconds */
                retryAfter: number;
            };
        };
        TotpAlreadyEnabled: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "totp-already-enabled";
            /** @description for people */
            message: string;
        };
        TotpInvalid: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "totp-invalid";
            /** @description for people */
            message: string;
            details: {
                /** @description the one to ask for first */
                method: string;
                /** @description whether a code is on its way */
                codeGenerated: boolean;
                /** @description such as `totp`, `passkey` and `recovery` */
                availableMethods: string[];
                /** @description where `passkey` is among them: for `navigator.credentials.get` */
                passkeyOptions?: {
                    /** @description sealed; good for five minutes, once */
                    challenge: string;
                    /** @description the domain that passkeys are made for */
                    rpId: string;
                    /** @description milliseconds, 300,000 */
                    timeout: number;
                    /** @description left out: any passkey of this site */
                    allowCredentials?: {
                        /** @enum {string} */
                        type: "public-key";
                        /** @description base64url */
                        id: string;
                        transports: string[];
                    }[];
                    /** @enum {string} */
                    userVerification: "required" | "discouraged";
                };
            };
        };
        TotpNotEnabled: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "totp-not-enabled";
            /** @description for people */
            message: string;
        };
        TotpRequired: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "totp-required";
            /** @description for people */
            message: string;
            details: {
                /** @description the one to ask for first */
                method: string;
                /** @description whether a code is on its way */
                codeGenerated: boolean;
                /** @description such as `totp`, `passkey` and `recovery` */
                availableMethods: string[];
                /** @description where `passkey` is among them: for `navigator.credentials.get` */
                passkeyOptions?: {
                    /** @description sealed; good for five minutes, once */
                    challenge: string;
                    /** @description the domain that passkeys are made for */
                    rpId: string;
                    /** @description milliseconds, 300,000 */
                    timeout: number;
                    /** @description left out: any passkey of this site */
                    allowCredentials?: {
                        /** @enum {string} */
                        type: "public-key";
                        /** @description base64url */
                        id: string;
                        transports: string[];
                    }[];
                    /** @enum {string} */
                    userVerification: "required" | "discouraged";
                };
            };
        };
        Unauthorized: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "Unauthorized";
            /** @description for people */
            message: string;
            details?: {
                /**
                 * @description it was wrong; a session goes on
                 * @enum {string}
                 */
                wrong: "password" | "passkey";
                /**
                 * @description for `PublicKeyCredential.signalUnknownCredential`: there is no such passkey
                 * @enum {string}
                 */
                signal?: "unknown-credential";
            };
        };
        UnsupportedMediaType: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "unsupported-media-type";
            /** @description for people */
            message: string;
        };
    };
    responses: {
        /** @description This is not allowed. */
        AppForbiddenOpen: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                "WWW-Authenticate": components["headers"]["MayChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppForbidden"];
            };
        };
        /** @description The client could not be authenticated. */
        AppInvalidClientLimitedOpen: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "WWW-Authenticate": components["headers"]["MayChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppInvalidClient"];
            };
        };
        /** @description The client could not be authenticated. */
        AppInvalidClientLimitedOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "WWW-Authenticate": components["headers"]["MayChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppInvalidClient"];
            };
        };
        /** @description The request is not valid. */
        AppInvalidRequestLimitedOpen: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppInvalidRequest"];
            };
        };
        /** @description The request is not valid. */
        AppInvalidRequestLimitedOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppInvalidRequest"];
            };
        };
        /** @description The request is not valid. */
        AppInvalidRequestOpen: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppInvalidRequest"];
            };
        };
        /** @description The request is not valid. The authorization code or token is not valid. The client may not use this grant type. The grant type is not known here. The scope is more than was granted, or is none. The resource is more than was granted, or is none. */
        AppInvalidRequestOrAppInvalidGrantOrAppUnauthorizedClientOrAppUnsupportedGrantTypeOrAppInvalidScopeOrAppInvalidTargetLimitedOpen: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppInvalidRequest"] | components["schemas"]["AppInvalidGrant"] | components["schemas"]["AppUnauthorizedClient"] | components["schemas"]["AppUnsupportedGrantType"] | components["schemas"]["AppInvalidScope"] | components["schemas"]["AppInvalidTarget"];
            };
        };
        /** @description The request body is too large. */
        AppPayloadTooLargeLimitedOpen: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppPayloadTooLarge"];
            };
        };
        /** @description The request body is too large. */
        AppPayloadTooLargeLimitedOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppPayloadTooLarge"];
            };
        };
        /** @description The service is temporarily unavailable. Try again shortly. */
        AppTemporarilyUnavailableLimitedOpen: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppTemporarilyUnavailable"];
            };
        };
        /** @description The service is temporarily unavailable. Try again shortly. */
        AppTemporarilyUnavailableLimitedOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppTemporarilyUnavailable"];
            };
        };
        /** @description The service is temporarily unavailable. Try again shortly. */
        AppTemporarilyUnavailableOpen: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppTemporarilyUnavailable"];
            };
        };
        /** @description Too many attempts. Try again later. */
        AppTooManyRequestsLimitedOpen: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppTooManyRequests"];
            };
        };
        /** @description Too many attempts. Try again later. */
        AppTooManyRequestsLimitedOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppTooManyRequests"];
            };
        };
        /** @description Unauthorized */
        AppUnauthorizedOpen: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                "WWW-Authenticate": components["headers"]["MayChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppUnauthorized"];
            };
        };
        /** @description Send the body as application/json in UTF-8. */
        AppUnsupportedMediaTypeLimitedOpen: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppUnsupportedMediaType"];
            };
        };
        /** @description Send the body as application/json in UTF-8. */
        AppUnsupportedMediaTypeLimitedOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AppUnsupportedMediaType"];
            };
        };
        /** @description This is not allowed. */
        Forbidden: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "WWW-Authenticate": components["headers"]["MayChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Forbidden"];
            };
        };
        /** @description This is not allowed. */
        ForbiddenLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "WWW-Authenticate": components["headers"]["MayChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Forbidden"];
            };
        };
        /** @description This is not allowed. Sign in again to do this. */
        ForbiddenOrReauthenticationRequiredLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "WWW-Authenticate": components["headers"]["MayChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["ReauthenticationRequired"];
            };
        };
        /** @description This is not allowed. Set up a second factor first. */
        ForbiddenOrSecondFactorEnrolmentRequired: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "WWW-Authenticate": components["headers"]["MayChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["SecondFactorEnrolmentRequired"];
            };
        };
        /** @description This is not allowed. Set up a second factor first. */
        ForbiddenOrSecondFactorEnrolmentRequiredLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "WWW-Authenticate": components["headers"]["MayChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["SecondFactorEnrolmentRequired"];
            };
        };
        /** @description This is not allowed. Set up a second factor first. Sign in again to do this. */
        ForbiddenOrSecondFactorEnrolmentRequiredOrReauthenticationRequired: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "WWW-Authenticate": components["headers"]["MayChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["SecondFactorEnrolmentRequired"] | components["schemas"]["ReauthenticationRequired"];
            };
        };
        /** @description This is not allowed. Set up a second factor first. Sign in again to do this. */
        ForbiddenOrSecondFactorEnrolmentRequiredOrReauthenticationRequiredLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "WWW-Authenticate": components["headers"]["MayChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["SecondFactorEnrolmentRequired"] | components["schemas"]["ReauthenticationRequired"];
            };
        };
        /** @description This is not allowed. Set up a second factor first. Sign in again to do this. */
        ForbiddenOrSecondFactorEnrolmentRequiredOrReauthenticationRequiredLimitedOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "WWW-Authenticate": components["headers"]["MayChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["SecondFactorEnrolmentRequired"] | components["schemas"]["ReauthenticationRequired"];
            };
        };
        /** @description This is not allowed. */
        ForbiddenOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "WWW-Authenticate": components["headers"]["MayChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Forbidden"];
            };
        };
        /** @description The request is not valid. */
        InvalidRequest: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidRequest"];
            };
        };
        /** @description The request is not valid. */
        InvalidRequestLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidRequest"];
            };
        };
        /** @description The request is not valid. */
        InvalidRequestLimitedOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidRequest"];
            };
        };
        /** @description Without it there would be no way to sign in. Add another one first. */
        LastSignInMethod: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LastSignInMethod"];
            };
        };
        /** @description There is no such session. */
        NotFound: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFound"];
            };
        };
        /** @description The request is not valid. The authorization code or token is not valid. */
        OAuthInvalidRequestOrOAuthInvalidGrantLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OAuthInvalidRequest"] | components["schemas"]["OAuthInvalidGrant"];
            };
        };
        /** @description The request body is too large. */
        OAuthPayloadTooLargeLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OAuthPayloadTooLarge"];
            };
        };
        /** @description The service is temporarily unavailable. Try again shortly. */
        OAuthTemporarilyUnavailableLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OAuthTemporarilyUnavailable"];
            };
        };
        /** @description Too many attempts. Try again later. */
        OAuthTooManyRequestsLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OAuthTooManyRequests"];
            };
        };
        /** @description Send the body as application/json in UTF-8. */
        OAuthUnsupportedMediaTypeLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OAuthUnsupportedMediaType"];
            };
        };
        /** @description This passkey is registered already. There are too many passkeys already. Remove one first. */
        PasskeyExistsOrTooManyPasskeys: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PasskeyExists"] | components["schemas"]["TooManyPasskeys"];
            };
        };
        /** @description The request body is too large. */
        PayloadTooLarge: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PayloadTooLarge"];
            };
        };
        /** @description The request body is too large. */
        PayloadTooLargeLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PayloadTooLarge"];
            };
        };
        /** @description The request body is too large. */
        PayloadTooLargeLimitedOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PayloadTooLarge"];
            };
        };
        /** @description Set up a second factor first. */
        SecondFactorEnrolmentRequiredLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "WWW-Authenticate": components["headers"]["MayChallenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SecondFactorEnrolmentRequired"];
            };
        };
        /** @description The service is temporarily unavailable. Try again shortly. */
        TemporarilyUnavailable: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TemporarilyUnavailable"];
            };
        };
        /** @description The service is temporarily unavailable. Try again shortly. */
        TemporarilyUnavailableLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TemporarilyUnavailable"];
            };
        };
        /** @description The service is temporarily unavailable. Try again shortly. */
        TemporarilyUnavailableLimitedOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TemporarilyUnavailable"];
            };
        };
        /** @description The service is temporarily unavailable. Try again shortly. */
        TemporarilyUnavailableOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TemporarilyUnavailable"];
            };
        };
        /** @description There are too many tokens already. Remove one first. */
        TooManyNamedTokensLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TooManyNamedTokens"];
            };
        };
        /** @description Too many attempts. Try again later. */
        TooManyRequestsLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TooManyRequests"];
            };
        };
        /** @description Too many attempts. Try again later. */
        TooManyRequestsLimitedOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TooManyRequests"];
            };
        };
        /** @description A second factor is already enabled. */
        TotpAlreadyEnabledLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TotpAlreadyEnabled"];
            };
        };
        /** @description No second factor is enabled. */
        TotpNotEnabledLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TotpNotEnabled"];
            };
        };
        /** @description No second factor is enabled. A second factor is already enabled. */
        TotpNotEnabledOrTotpAlreadyEnabledLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TotpNotEnabled"] | components["schemas"]["TotpAlreadyEnabled"];
            };
        };
        /** @description Unauthorized */
        Unauthorized: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "WWW-Authenticate": components["headers"]["Challenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Unauthorized"];
            };
        };
        /** @description Unauthorized */
        UnauthorizedLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "WWW-Authenticate": components["headers"]["Challenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Unauthorized"];
            };
        };
        /** @description Unauthorized The second-factor code is not valid. */
        UnauthorizedOrTotpInvalidLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "WWW-Authenticate": components["headers"]["Challenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Unauthorized"] | components["schemas"]["TotpInvalid"];
            };
        };
        /** @description Unauthorized A second-factor code is required. */
        UnauthorizedOrTotpRequiredLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "WWW-Authenticate": components["headers"]["Challenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Unauthorized"] | components["schemas"]["TotpRequired"];
            };
        };
        /** @description Unauthorized A second-factor code is required. */
        UnauthorizedOrTotpRequiredLimitedOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "WWW-Authenticate": components["headers"]["Challenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Unauthorized"] | components["schemas"]["TotpRequired"];
            };
        };
        /** @description Unauthorized A second-factor code is required. The second-factor code is not valid. */
        UnauthorizedOrTotpRequiredOrTotpInvalidLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                "WWW-Authenticate": components["headers"]["Challenge"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Unauthorized"] | components["schemas"]["TotpRequired"] | components["schemas"]["TotpInvalid"];
            };
        };
        /** @description Send the body as application/json in UTF-8. */
        UnsupportedMediaType: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnsupportedMediaType"];
            };
        };
        /** @description Send the body as application/json in UTF-8. */
        UnsupportedMediaTypeLimited: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "Access-Control-Allow-Origin": components["headers"]["Origin"];
                "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                Vary: components["headers"]["Vary"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnsupportedMediaType"];
            };
        };
        /** @description Send the body as application/json in UTF-8. */
        UnsupportedMediaTypeLimitedOwn: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                "X-Content-Type-Options": components["headers"]["NoSniff"];
                "Content-Security-Policy": components["headers"]["NothingRuns"];
                "X-Request-Id": components["headers"]["RequestId"];
                "RateLimit-Limit": components["headers"]["Limit"];
                "RateLimit-Remaining": components["headers"]["Remaining"];
                "RateLimit-Reset": components["headers"]["Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnsupportedMediaType"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Nothing may keep an answer. */
        NoStore: "no-store";
        /** @description How long it may be kept. */
        Kept: string;
        /** @description The type is as it is said. */
        NoSniff: "nosniff";
        /** @description Nothing in an answer may run or be shown. */
        NothingRuns: string;
        /** @description What the log of the server calls the request. */
        RequestId: string;
        /** @description By which scheme to say who asks (RFC 6750 §3). */
        Challenge: string;
        /** @description What the token lacks, or the scheme by which an app has come (RFC 6749 §5.2). */
        MayChallenge: string;
        /** @description Seconds after which a repetition makes sense. */
        RetryAfter: number;
        /** @description How much is allowed. */
        Limit: number;
        /** @description How much is left. */
        Remaining: number;
        /** @description Seconds after which there is more. */
        Reset: number;
        /** @description For pages of other origins, where the server lets them. */
        Origin: string;
        /** @description Pages of every origin may ask. */
        EveryOrigin: "*";
        /** @description What such a page may read. */
        Exposed: string;
        /** @description Which headers of the request matter. */
        Vary: string;
        /** @description Where the browser goes. */
        Location: string;
        /** @description What the browser keeps, where that is new. */
        "Set-Cookie": string;
        /** @description Of the page. */
        Language: string;
        /** @description What of the device a page may use. */
        Permissions: string;
        /** @description No page may frame it. */
        NoFrame: string;
        /** @description What links from it say. */
        Referrer: string;
        /** @description No other site may load it. */
        OwnSite: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    logIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description the same as `code`; where both are sent the body wins */
                "x-2fa-code"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LogInRequest"];
            };
        };
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogInAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    issueAuthorizationCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssueAuthorizationCodeRequest"];
            };
        };
        responses: {
            /** @description The code. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssueAuthorizationCodeAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrReauthenticationRequiredLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    exchangeCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExchangeCodeRequest"];
            };
        };
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExchangeCodeAnswer"];
                };
            };
            400: components["responses"]["OAuthInvalidRequestOrOAuthInvalidGrantLimited"];
            413: components["responses"]["OAuthPayloadTooLargeLimited"];
            415: components["responses"]["OAuthUnsupportedMediaTypeLimited"];
            429: components["responses"]["OAuthTooManyRequestsLimited"];
            503: components["responses"]["OAuthTemporarilyUnavailableLimited"];
        };
    };
    refresh: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshRequest"];
            };
        };
        responses: {
            /** @description The next pair. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefreshAnswer"];
                };
            };
            400: components["responses"]["OAuthInvalidRequestOrOAuthInvalidGrantLimited"];
            413: components["responses"]["OAuthPayloadTooLargeLimited"];
            415: components["responses"]["OAuthUnsupportedMediaTypeLimited"];
            429: components["responses"]["OAuthTooManyRequestsLimited"];
            503: components["responses"]["OAuthTemporarilyUnavailableLimited"];
        };
    };
    logOutByGet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has ended. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogOutByGetAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    logOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has ended. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogOutAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetMeAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequired"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSessionsAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequired"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    endOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They have ended. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndOtherSessionsAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequired"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the session, as listed */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has ended. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndSessionAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequired"];
            404: components["responses"]["NotFound"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    issueSocketTicket: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ticket. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssueSocketTicketAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedLimited"];
            403: components["responses"]["SecondFactorEnrolmentRequiredLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    listNamedTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tokens. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListNamedTokensAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequired"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    makeNamedToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MakeNamedTokenRequest"];
            };
        };
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MakeNamedTokenAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrReauthenticationRequiredLimited"];
            409: components["responses"]["TooManyNamedTokensLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    endNamedTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They have ended. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndNamedTokensAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequired"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    endNamedToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the token, as listed */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has ended. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndNamedTokenAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequired"];
            404: components["responses"]["NotFound"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    getTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it is. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetTotpAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    beginTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BeginTotpRequest"];
            };
        };
        responses: {
            /** @description The secret. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BeginTotpAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedLimited"];
            403: components["responses"]["ForbiddenOrReauthenticationRequiredLimited"];
            409: components["responses"]["TotpAlreadyEnabledLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmTotpRequest"];
            };
        };
        responses: {
            /** @description It is on. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfirmTotpAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrReauthenticationRequiredLimited"];
            409: components["responses"]["TotpNotEnabledOrTotpAlreadyEnabledLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    disableTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisableTotpRequest"];
            };
        };
        responses: {
            /** @description It is off. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisableTotpAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredLimited"];
            409: components["responses"]["TotpNotEnabledLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    replaceRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceRecoveryCodesRequest"];
            };
        };
        responses: {
            /** @description The new ones. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplaceRecoveryCodesAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredLimited"];
            409: components["responses"]["TotpNotEnabledLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    getPasskeyRequestOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The options. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetPasskeyRequestOptionsAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    logInByPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LogInByPasskeyRequest"];
            };
        };
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogInByPasskeyAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedLimited"];
            403: components["responses"]["ForbiddenLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    listPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPasskeysAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    addPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddPasskeyRequest"];
            };
        };
        responses: {
            /** @description It is added. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddPasskeyAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["PasskeyExistsOrTooManyPasskeys"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    getPasskeyCreationOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GetPasskeyCreationOptionsRequest"];
            };
        };
        responses: {
            /** @description The options. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetPasskeyCreationOptionsAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrReauthenticationRequiredLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    renamePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of `GET /auth/passkeys` */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenamePasskeyRequest"];
            };
        };
        responses: {
            /** @description It has it. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenamePasskeyAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequired"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    removePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of `GET /auth/passkeys` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovePasskeyAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrReauthenticationRequired"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["LastSignInMethod"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    reauthenticate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReauthenticateRequest"];
            };
        };
        responses: {
            /** @description It is so. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReauthenticateAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    authorize: {
        parameters: {
            query: {
                /** @description of the app */
                client_id: string;
                response_type: "code";
                /** @description one of the app's, byte for byte; of a native app on a loopback address the port may differ */
                redirect_uri: string;
                /** @description what the app asks for, with blanks between; left out: its `defaultScopes` */
                scope?: string;
                /** @description 43 characters base64url (RFC 7636 §4.2); an app with `allowNonceInsteadOfPkce` may send a `nonce` instead */
                code_challenge: string;
                code_challenge_method: "S256";
                /** @description comes back as it was sent; at most 1024 characters */
                state?: string;
                /** @description stands in the ID token; at most 512 characters */
                nonce?: string;
                /** @description `none`, `login`, `consent`, `select_account`; `none` alone: no page is shown, but an error sent back */
                prompt?: string;
                /** @description seconds that the sign-in may be old */
                max_age?: string;
                /** @description an ID token of this app: who is to sign in */
                id_token_hint?: string;
                /** @description how sure the sign-in should be: `urn:mar:2fa` with a second factor */
                acr_values?: string;
                /** @description the API that tokens are to be for (RFC 8707); may be repeated */
                resource?: string[];
                /** @description the only one there is */
                response_mode?: "query";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page: a step is missing, such as the sign-in. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Content-Language": components["headers"]["Language"];
                    "X-Frame-Options": components["headers"]["NoFrame"];
                    "Referrer-Policy": components["headers"]["Referrer"];
                    "Cross-Origin-Resource-Policy": components["headers"]["OwnSite"];
                    "Permissions-Policy": components["headers"]["Permissions"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description Back to the app. */
            303: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    Location: components["headers"]["Location"];
                    "Content-Language": components["headers"]["Language"];
                    "X-Frame-Options": components["headers"]["NoFrame"];
                    "Referrer-Policy": components["headers"]["Referrer"];
                    "Cross-Origin-Resource-Policy": components["headers"]["OwnSite"];
                    "Permissions-Policy": components["headers"]["Permissions"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page: the app is not known, or the redirect URI is not its own. Nobody is sent anywhere. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Content-Language": components["headers"]["Language"];
                    "X-Frame-Options": components["headers"]["NoFrame"];
                    "Referrer-Policy": components["headers"]["Referrer"];
                    "Cross-Origin-Resource-Policy": components["headers"]["OwnSite"];
                    "Permissions-Policy": components["headers"]["Permissions"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description A page: too many apps were asked for that nobody knows. */
            429: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "Content-Language": components["headers"]["Language"];
                    "X-Frame-Options": components["headers"]["NoFrame"];
                    "Referrer-Policy": components["headers"]["Referrer"];
                    "Cross-Origin-Resource-Policy": components["headers"]["OwnSite"];
                    "Permissions-Policy": components["headers"]["Permissions"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description A page: something is away. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    "Content-Language": components["headers"]["Language"];
                    "X-Frame-Options": components["headers"]["NoFrame"];
                    "Referrer-Policy": components["headers"]["Referrer"];
                    "Cross-Origin-Resource-Policy": components["headers"]["OwnSite"];
                    "Permissions-Policy": components["headers"]["Permissions"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
        };
    };
    authorizeByForm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["AuthorizeByFormRequest"];
            };
        };
        responses: {
            /** @description To the `GET`. */
            303: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    Location: components["headers"]["Location"];
                    "Content-Language": components["headers"]["Language"];
                    "X-Frame-Options": components["headers"]["NoFrame"];
                    "Referrer-Policy": components["headers"]["Referrer"];
                    "Cross-Origin-Resource-Policy": components["headers"]["OwnSite"];
                    "Permissions-Policy": components["headers"]["Permissions"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A page: the app is not known, or the redirect URI is not its own. Nobody is sent anywhere. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Content-Language": components["headers"]["Language"];
                    "X-Frame-Options": components["headers"]["NoFrame"];
                    "Referrer-Policy": components["headers"]["Referrer"];
                    "Cross-Origin-Resource-Policy": components["headers"]["OwnSite"];
                    "Permissions-Policy": components["headers"]["Permissions"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description A page: the form is too long. */
            413: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Content-Language": components["headers"]["Language"];
                    "X-Frame-Options": components["headers"]["NoFrame"];
                    "Referrer-Policy": components["headers"]["Referrer"];
                    "Cross-Origin-Resource-Policy": components["headers"]["OwnSite"];
                    "Permissions-Policy": components["headers"]["Permissions"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
            /** @description A page: it is no form. */
            415: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Content-Language": components["headers"]["Language"];
                    "X-Frame-Options": components["headers"]["NoFrame"];
                    "Referrer-Policy": components["headers"]["Referrer"];
                    "Cross-Origin-Resource-Policy": components["headers"]["OwnSite"];
                    "Permissions-Policy": components["headers"]["Permissions"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html; charset=utf-8": string;
                };
            };
        };
    };
    getTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["GetTokensRequest"];
                "application/json": components["schemas"]["GetTokensRequest"];
            };
        };
        responses: {
            /** @description The tokens. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetTokensAnswer"];
                };
            };
            400: components["responses"]["AppInvalidRequestOrAppInvalidGrantOrAppUnauthorizedClientOrAppUnsupportedGrantTypeOrAppInvalidScopeOrAppInvalidTargetLimitedOpen"];
            401: components["responses"]["AppInvalidClientLimitedOpen"];
            413: components["responses"]["AppPayloadTooLargeLimitedOpen"];
            415: components["responses"]["AppUnsupportedMediaTypeLimitedOpen"];
            429: components["responses"]["AppTooManyRequestsLimitedOpen"];
            503: components["responses"]["AppTemporarilyUnavailableLimitedOpen"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["RevokeTokenRequest"];
                "application/json": components["schemas"]["RevokeTokenRequest"];
            };
        };
        responses: {
            /** @description The token is good for nothing. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeTokenAnswer"];
                };
            };
            400: components["responses"]["AppInvalidRequestLimitedOpen"];
            401: components["responses"]["AppInvalidClientLimitedOpen"];
            413: components["responses"]["AppPayloadTooLargeLimitedOpen"];
            415: components["responses"]["AppUnsupportedMediaTypeLimitedOpen"];
            429: components["responses"]["AppTooManyRequestsLimitedOpen"];
            503: components["responses"]["AppTemporarilyUnavailableLimitedOpen"];
        };
    };
    introspectToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["IntrospectTokenRequest"];
                "application/json": components["schemas"]["IntrospectTokenRequest"];
            };
        };
        responses: {
            /** @description Whether it is. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntrospectTokenAnswer"];
                };
            };
            400: components["responses"]["AppInvalidRequestLimitedOwn"];
            401: components["responses"]["AppInvalidClientLimitedOwn"];
            413: components["responses"]["AppPayloadTooLargeLimitedOwn"];
            415: components["responses"]["AppUnsupportedMediaTypeLimitedOwn"];
            429: components["responses"]["AppTooManyRequestsLimitedOwn"];
            503: components["responses"]["AppTemporarilyUnavailableLimitedOwn"];
        };
    };
    getUserinfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetUserinfoAnswer"];
                };
            };
            400: components["responses"]["AppInvalidRequestOpen"];
            401: components["responses"]["AppUnauthorizedOpen"];
            403: components["responses"]["AppForbiddenOpen"];
            503: components["responses"]["AppTemporarilyUnavailableOpen"];
        };
    };
    getUserinfoByPost: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetUserinfoByPostAnswer"];
                };
            };
            400: components["responses"]["AppInvalidRequestOpen"];
            401: components["responses"]["AppUnauthorizedOpen"];
            403: components["responses"]["AppForbiddenOpen"];
            503: components["responses"]["AppTemporarilyUnavailableOpen"];
        };
    };
    signBrowserIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignBrowserInRequest"];
            };
        };
        responses: {
            /** @description The browser is signed in. */
            204: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequestLimitedOwn"];
            401: components["responses"]["UnauthorizedOrTotpRequiredLimitedOwn"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrReauthenticationRequiredLimitedOwn"];
            413: components["responses"]["PayloadTooLargeLimitedOwn"];
            415: components["responses"]["UnsupportedMediaTypeLimitedOwn"];
            429: components["responses"]["TooManyRequestsLimitedOwn"];
            503: components["responses"]["TemporarilyUnavailableLimitedOwn"];
        };
    };
    signBrowserOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser is signed out. */
            204: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            403: components["responses"]["ForbiddenOwn"];
            503: components["responses"]["TemporarilyUnavailableOwn"];
        };
    };
    listConsents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The consents. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListConsentsAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequired"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    revokeConsent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the app, as listed */
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is taken back. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeConsentAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequired"];
            404: components["responses"]["NotFound"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    getServerMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    "Cache-Control": components["headers"]["Kept"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetServerMetadataAnswer"];
                };
            };
        };
    };
    getKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    "Access-Control-Allow-Origin": components["headers"]["Origin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    Vary: components["headers"]["Vary"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetKeysAnswer"];
                };
            };
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
}
