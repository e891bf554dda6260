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
         * Signs in with a password, and with a code if the user has a second factor.
         * @description - A wrong password, an unknown user, a disabled user and a user without a password get the same bytes after the same work.
         *     - The server checks a code only after a right password, and each code works once. It ignores the code of a user without a second factor.
         *     - Credentials in the URL are ignored. None or several of the three names, an empty text or another type: 400.
         *     - 403 `forbidden`: the server's `beforeLogin` has refused; `message` is its reason.
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
         * A signed-in client requests an authorization code for another of its user's devices (RFC 7636).
         * @description - The code ends with the calling session. The session that it opens has no more rights, and lives no longer if the calling session has its own lifetime.
         *     - The sign-in of the calling session must be recent (`pkce.maxAge` of the server, default 10 minutes); otherwise 403 `reauthentication-required`. With `pkce.endWithIssuer`, the new session ends with the calling one, and cannot request codes itself: 403 `forbidden`.
         *     - A server with its own sign-in page calls `issueAuthorizationCode` instead: see `docs/host-api.md`.
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
         * Exchanges an authorization code and its verifier for tokens of a new session (RFC 6749 §4.1.3, RFC 7636 §4.5).
         * @description - A wrong verifier uses the code up. The second use of a code is 400 `invalid_grant`; more than 20 s after the first use, it also ends the session that the code opened (RFC 6749 §4.1.2).
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
         * Exchanges a refresh token for the next pair of tokens (RFC 6749 §6).
         * @description - The request spends the token. If the client repeats it within 30 s (`lifetimes.refreshGrace`), or before the new pair was used, it gets the same successor again: a lost answer signs nobody out.
         *     - A later repetition ends the session (RFC 9700 §4.14.2). The new pair counts as used when its refresh token is rotated, or when a guard or a socket has seen its access token, in any process.
         *     - Store the pair before you use it, and read your store again right before you refresh. The absolute end of the session never moves.
         */
        post: operations["refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a code to sign in with, if the name has an account with a proven address.
         * @description - The answer is the same for every name, and comes before the name is looked up.
         *     - `phone` instead of a name sends a text message, if the number is the proven one of an account. 503: no more of them are sent for the time being.
         */
        post: operations["askForSignInCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/code/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs in by a sent code, in the place of a password.
         * @description - A user with a second factor is answered 401 `totp-required`, as at `POST /login`: repeat the request with `secondFactor` or `passkey`. The code stays good meanwhile; it has five tries in all.
         *     - A code of the same kind is no second factor here: 403 `forbidden` for a user who has no other.
         *     - A code that went to a number signs in a user who was here in the last six months. Otherwise it is answered 403 `reauthentication-required`: repeat the request with `password`.
         */
        post: operations["logInByCode"];
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
         * @description - `HEAD` is 405. The token is in a header, which pages of other origins cannot send.
         */
        get: operations["logOutByGet"];
        put?: never;
        /**
         * Ends the session of the token, and everything that was issued under it.
         * @description - The answer comes after the store has confirmed the end.
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
         * The user of the token.
         * @description - 403 `forbidden`: the token has less than the scope `*`, and is not a named token. Apps use `GET /oauth/userinfo`.
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
         * The sessions of this user.
         * @description - The answer contains no tokens, and nothing from which one could be made.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /** Ends all sessions of this user except the calling one. */
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
         * @description - Another user's session is 404, like one that does not exist.
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
        /** A ticket that opens one WebSocket, for browsers: they cannot send headers with an upgrade. */
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
         * @description - The answer contains no secrets.
         */
        get: operations["listNamedTokens"];
        put?: never;
        /**
         * Creates a named token, for a bot or a script.
         * @description - A user may have 20. If several requests at once would exceed that number, each of them may be refused: try again.
         *     - 403 `reauthentication-required`: ask for the password and send it. 401 `totp-required`: also send a code, or a passkey instead of both. 401 with `details.wrong` `password` or `passkey`: it was wrong; the session continues.
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
        /** Ends one named token of this user. */
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
         * Starts an enrolment; the factor is not active yet.
         * @description - A wrong password is 401 `Unauthorized` with `details: { wrong: "password" }`.
         *     - A user with one of the server's own factors, or with a required passkey, must use it first: 403 `reauthentication-required`.
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
         * Activates the factor by the app's first code; the user's other sessions end.
         * @description - 409 `totp-not-enabled`: there is no enrolment, or it started more than 600 s ago.
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
        /** Deactivates the factor by password and code; the user's other sessions end. */
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
        /** Makes ten new recovery codes; the old ones stop working. */
        post: operations["replaceRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/remembered-browsers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The browsers in which this user is not asked for the second factor. */
        get: operations["listRememberedBrowsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/remembered-browsers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** The next sign-in there needs the second factor again. No session ends. */
        delete: operations["forgetRememberedBrowser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/acceptance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The documents that this user must still accept. */
        get: operations["listDocumentsToAccept"];
        put?: never;
        /**
         * Accepts documents, each in the version that the user has seen.
         * @description - 409 `superseded`: another version has been published. Show it.
         */
        post: operations["acceptDocuments"];
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
         * Options with which a browser asks for a passkey.
         * @description - The same for everybody; the server stores nothing. With a token: options for `POST /auth/reauthenticate` and for the proof in `POST /auth/passkeys/options`.
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
         * Signs in with a passkey, like `POST /login` with a password.
         * @description - A passkey with user verification, by PIN, finger or face, counts as both factors: the server asks for no code.
         *     - `details.signal` of a 401 is `unknown-credential` if the server does not know the passkey.
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
        /** The passkeys of this user, oldest first. */
        get: operations["listPasskeys"];
        put?: never;
        /**
         * Adds the passkey that the browser has created.
         * @description - The options work once, for the session that requested them. A user may have 20 passkeys.
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
         * Options with which a browser creates a passkey.
         * @description - Requires a sign-in of the last ten minutes with every required factor, or the same proof in the body. Otherwise 403 `reauthentication-required`.
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
        /** Renames a passkey. */
        post: operations["renamePasskey"];
        /**
         * Removes a passkey; the user's other sessions end.
         * @description - Requires a sign-in of the last ten minutes with every required factor. Otherwise 403 `reauthentication-required`: call `POST /auth/reauthenticate` first.
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
         * Reauthenticates the user: this session then counts as a fresh sign-in.
         * @description - Routes that require a fresh sign-in accept the session from then on. Other sessions do not change, and no session is opened.
         *     - 401 with `details.wrong`: the proof was wrong; the session continues.
         *     - Also for a session that lacks a required second factor.
         */
        post: operations["reauthenticate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mails a link for a new password, if the name has an account with a proven address.
         * @description - The answer is the same for every name, and comes before the name is looked up.
         */
        post: operations["forgotPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sets a new password by the token of a mailed link. Signs nobody in.
         * @description - All sessions of the user end. A second factor stays.
         *     - `details.reason` of `proof-refused` is `used` or `expired` for a token that was real.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password/change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sets a new password; the user's other sessions end.
         * @description - A user with a password sends it, or a passkey; otherwise 403 `reauthentication-required`. A user without one needs a sign-in of the last ten minutes with every factor.
         *     - 409 `superseded`: the password was changed meanwhile.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The user's address. */
        get: operations["getEmail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/email/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mails a code to the present address. */
        post: operations["verifyEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/email/change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mails a code to a new address. The address changes when the code is confirmed.
         * @description - Requires a sign-in of the last ten minutes with every factor, or the same proof in the body. Whoever has a password sends it, or a passkey of three days or more.
         *     - The answer is the same if another user has the address, or can still go back to it.
         */
        post: operations["changeEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/email/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirms an address by the code that was mailed there.
         * @description - Only in the session that has asked for the code. Five wrong codes use it up.
         *     - The former address gets a link that undoes a change for 72 hours.
         */
        post: operations["confirmEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/email/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes a change of the address back by the token of a mailed link.
         * @description - Works from whatever the address is by then, and sets the new password in the same step. All sessions of the user end; passkeys, TOTP, connected accounts and consents that were added since, or in the three days before the change, are removed.
         */
        post: operations["undoEmailChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/email/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switches codes by mail as a second factor on or off. The other sessions end.
         * @description - Requires a proven address, and a sign-in of the last ten minutes with every factor or the same proof in the body.
         *     - A login is then answered 401 `totp-required` with the method `email`, and the code is on its way.
         *     - A user with TOTP, or with a passkey that sign-in demands, is asked for that instead.
         *     - A user who must have a second factor signs in again with a code.
         */
        post: operations["setEmailSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/phone": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The user's number. */
        get: operations["getPhone"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/phone/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a code to the present number. */
        post: operations["verifyPhone"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/phone/change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a code to a new number. The number changes when the code is confirmed.
         * @description - Requires a sign-in of the last ten minutes with every factor, or the same proof in the body. Whoever has a password sends it, or a passkey of three days or more.
         *     - The answer is the same if another user has the number, or can still go back to it.
         */
        post: operations["changePhone"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/phone/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirms a number by the code that was sent there.
         * @description - Only in the session that has asked for the code. Five wrong codes use it up.
         *     - The proven mail address gets a link that undoes a change for 72 hours.
         *     - 409 `phone-in-use`: another user has the number. From `details.until` on, if it is there, another code takes it over.
         */
        post: operations["confirmPhone"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/phone/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes a change of the number back by the token of a mailed link.
         * @description - Works from whatever the number is by then, and sets the new password in the same step. All sessions of the user end; passkeys, TOTP, connected accounts and consents that were added since, or in the three days before the change, are removed.
         */
        post: operations["undoPhoneChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/phone/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switches codes by text message as a second factor on or off. The other sessions end.
         * @description - Requires a proven number, and a sign-in of the last ten minutes with every factor or the same proof in the body.
         *     - A login is then answered 401 `totp-required` with the method `sms`, and the code is on its way.
         *     - A user with TOTP, or with a passkey that sign-in demands, is asked for that instead.
         *     - A user who must have a second factor signs in again with a code.
         */
        post: operations["setPhoneSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/registration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a form for new users must know. */
        get: operations["getRegistration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mails a code to the address of a new user.
         * @description - The answer is the same if the address has an account, whose owner is mailed instead; it comes before the address is looked up. There is no user before the code is confirmed.
         *     - 403 `registration-closed` without an invitation where one is required; 400 `proof-refused` for one that cannot be used, with `details.reason` if it was real.
         *     - 403 `forbidden`: the server's `beforeRegister` has refused; `message` is its reason.
         */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/register/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes the user by the mailed code, and signs in.
         * @description - Whoever has the code sets the password. Five tries. 409 `username-taken`: another user was quicker; send the same code once more, with another `username`.
         *     - If an answer is lost, the account may be there: a repeat is then `proof-refused`, and the user signs in.
         */
        post: operations["confirmRegistration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/invitations/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an invitation says. Takes no use of it.
         * @description - `details.reason` of `proof-refused` is `used` or `expired` for a token that was real.
         */
        get: operations["getInvitation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/account/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mails a code that deletes the account.
         * @description - Requires a sign-in of the last ten minutes with every factor, or the same proof in the body.
         *     - Whoever has a password sends it, or a passkey of three days or more. A user without a proven address is deleted at once: 200.
         *     - 429 while a change of the address can be undone.
         */
        post: operations["deleteAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/account/delete/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deletes the account by the mailed code, for good.
         * @description - Only in the session that has asked for the code. Five wrong codes use it up.
         *     - After a 503 the session may have ended: the same request completes the deletion all the same.
         */
        post: operations["confirmAccountDeletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The providers, in the order of their buttons. */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/providers/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The address at which a browser signs in at a provider.
         * @description - The browser comes back to `returnTo` with `ticket`, `state` and `iss`, or with `error`: `access_denied`, `provider_refused` or `temporarily_unavailable`. The ticket works for two minutes.
         */
        post: operations["startProviderSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/providers/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs in by the ticket of a provider.
         * @description - 401 `totp-required` and 409 `username-taken` leave the ticket alive, for five tries in all: send it again with `code`, `passkey` or `username`.
         *     - 401 `provider-refused`: this account is not connected with any user here.
         */
        post: operations["finishProviderSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/providers/{id}/backchannel-logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A provider ends the sessions that it has opened (OpenID Connect Back-Channel Logout). */
        post: operations["endProviderSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The accounts at providers that this user is connected with, oldest first. */
        get: operations["listIdentities"];
        put?: never;
        /**
         * Connects an account by the ticket of a provider.
         * @description - 409 `identity-in-use`: another user is connected with it, and stays so.
         */
        post: operations["connectIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/identities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The address at which a browser connects an account at a provider with this user.
         * @description - Requires a sign-in of the last ten minutes with every required factor, or the same proof in the body. Otherwise 403 `reauthentication-required`.
         *     - The browser comes back as after a sign-in. Send the ticket to `POST /auth/identities`, with the same session.
         */
        post: operations["startConnecting"];
        /**
         * Disconnects an account at a provider, and ends the sessions that it has opened.
         * @description - Requires what connecting one requires. Not the last way to sign in: 409.
         */
        delete: operations["disconnectIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/device-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A device that nobody is signed in on gets a picture to show.
         * @description - 20 in 15 minutes for each network.
         */
        post: operations["beginDeviceLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/device-links/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Opens what was scanned or typed, and tells which device it is.
         * @description - The first user who opens a link is the only one who may approve it. From now on the new device shows a check code of four digits, and the name of that user.
         *     - Requires a sign-in of the last 24 hours. Otherwise 403 `reauthentication-required`.
         */
        post: operations["openDeviceLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/device-links/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs the new device in, by the check code that it shows.
         * @description - Three requests are judged, right or wrong; then the link is void. After a wrong check code, `details.triesLeft` says how many are left.
         *     - A user with a second factor or a passkey shows it again, in the same request. Otherwise 403 `reauthentication-required`, which costs no try.
         *     - The check code is compared first: a wrong one uses up neither a code nor a passkey.
         */
        post: operations["approveDeviceLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/device-links/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The user says no. The new device is told. Saying it again changes nothing. */
        post: operations["denyDeviceLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/device-links/collect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The new device asks whether it is signed in.
         * @description - Ask every `interval` seconds while the answer is `authorization_pending` or `opened`; after `slow_down`, five seconds less often. At `opened`, show the check code. At `approved`, ask the user whether the device shall continue as this account; if so, ask with `confirm`.
         *     - A device that lost the answer asks again within 30 seconds and gets the tokens of the same session.
         */
        post: operations["collectDeviceLink"];
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
         * An app sends its user's browser here and gets a code back by a redirect (RFC 6749 §4.1, RFC 7636).
         * @description - The answer is a page or a redirect, never JSON: 303 with `code`, `state` and `iss` (RFC 9207), or with `error`, `error_description`, `state` and `iss`.
         *     - The cookie identifies the signed-in user: see `docs/cookies.md`. The query has at most 4,096 characters. `HEAD` is 405.
         *     - The code works once, within 60 s, for this app, redirect URI and challenge.
         */
        get: operations["authorize"];
        put?: never;
        /**
         * The same as `GET /oauth/authorize`, as a form (OpenID Connect Core §3.1.2.1).
         * @description - Redirects to the `GET` with all parameters.
         */
        post: operations["authorizeByForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An app signs its user's browser out here, too (OpenID Connect RP-Initiated Logout 1.0).
         * @description - Ends the session of the browser, and with it the sessions of apps that depend on it. The page of `/oauth/sign-out` asks the user first, unless `id_token_hint` proves that the app has signed in this user in this very session.
         *     - The browser then returns to `post_logout_redirect_uri`, with `state`. Without one, or if anything about the request is wrong, it stays on a page of this server. The query has at most 8,192 characters. `HEAD` is 405.
         */
        get: operations["logoutByApp"];
        put?: never;
        /**
         * The same as `GET /oauth/logout`, as a form.
         * @description - Redirects to the `GET` with all parameters.
         */
        post: operations["logoutByAppForm"];
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
         * Exchanges a code and its verifier, a refresh token, the code of a device, or the credentials of a service, for tokens (RFC 6749 §4.1.3, RFC 6749 §6, RFC 8628 §3.4, RFC 6749 §4.4).
         * @description - A request with a wrong app, redirect URI or verifier uses the code up. A second use of the code, more than 20 s after the first, ends the session that it opened (RFC 6749 §4.1.2).
         *     - An app that authenticates itself keeps its refresh token: the answer repeats it. This endpoint refuses refresh tokens of `POST /auth/pkce/token`, and that one refuses those of this endpoint.
         *     - With `device_code`, `authorization_pending` means: ask again after `interval` seconds. `slow_down`: the same, with 5 seconds more from now on. All other errors are final.
         *     - `interaction_required`: the user must do something first, such as change a temporary password. Nothing is spent: keep the refresh token, send the user to `/oauth/authorize`.
         *     - A service gets a new access token of one session for each request, and no refresh token.
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
         * An app signs its user out: ends the session of the token (RFC 7009).
         * @description - The answer is `{}` also for a token that is unknown, has expired or belongs to another app; nothing happens then.
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
         * A service asks whether a token is valid now (RFC 7662).
         * @description - For apps that authenticate themselves and have `mayIntrospect`. The endpoint exists if some client has it, or if clients are in a store.
         */
        post: operations["introspectToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/device_authorization": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A device without a browser asks for a code that its user types elsewhere (RFC 8628).
         * @description - Show the user `user_code` and `verification_uri`, then ask `POST /oauth/token` with `device_code` every `interval` seconds. 20 codes for each network and app in 15 minutes.
         *     - A page of another site is 403: it would ask from its visitor’s own network.
         */
        post: operations["authorizeDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An app registers itself, if it has no other way to be known (RFC 7591).
         * @description - An app with a document of its own need not register where the metadata have `client_id_metadata_document_supported`. 20 apps for each network in an hour. An app that no user allows anything within a day is gone.
         *     - A page of another site is 403, unless it is of the device itself, or of a listed host.
         *     - All other metadata is ignored: `scope` of the answer is what the app may ask for.
         */
        post: operations["registerClient"];
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
         * The user of an app (OpenID Connect Core §5.3).
         * @description - The token must be in `Authorization: Bearer`, not in a body.
         */
        get: operations["getUserinfo"];
        put?: never;
        /**
         * The same as `GET /oauth/userinfo`.
         * @description - The token must be in `Authorization: Bearer`, not in a body.
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
         * A web app that is signed in by a token also signs its browser in, so that apps find its user.
         * @description - 204 with the cookie (see `docs/cookies.md`) of a new session, which ends with the calling session and keeps its time of sign-in. A browser that already has a session of the same sign-in keeps its cookie. Otherwise the sign-in must be recent, as for `POST /auth/pkce/authorize`, or the answer is 403 `reauthentication-required`.
         *     - The body is `{}` as `application/json`. Requires `Sec-Fetch-Site: same-origin`, or `Origin` equal to `pagesOrigin`; otherwise 403. Named tokens and apps are refused.
         */
        post: operations["signBrowserIn"];
        /**
         * A page signs its browser out, so that the next sign-in asks for the password.
         * @description - Ends the session of the cookie, and the sessions of apps that were opened by it and have no refresh token. Deletes the cookie. Also 204 if nobody was signed in.
         *     - Requires `Sec-Fetch-Site: same-origin`, or `Origin` equal to `pagesOrigin`; otherwise 403. Tokens are ignored.
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
         * The apps that this user has authorised.
         * @description - The host's own apps need no consent and are not listed; their sessions are.
         *     - `resources`: the scopes at other APIs, among those that the app is registered for.
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
         * Revokes this user's consent for an app, and ends the app's sessions of this user.
         * @description - 404 if there was neither a consent nor a session.
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
         * The metadata of the server for apps (RFC 8414, OpenID Connect Discovery).
         * @description - `auth.wellKnown` serves the same document at the root of the site: see `docs/oauth.md`.
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
         * The public keys that verify access tokens (RFC 7517 §5).
         * @description - `keys` is empty if the signer publishes none. Keys of the shipped signer have `kid`, `alg` and `use`.
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
        AcceptDocumentsAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description those that this user has not accepted yet */
                documents: {
                    id: string;
                    version: string;
                    /** @description for people */
                    name: string;
                    /** @description where it can be read */
                    url: string;
                }[];
            };
        };
        AcceptDocumentsRequest: {
            /** @description from the list; 1 to 10 */
            documents: {
                id: string;
                version: string;
            }[];
        };
        AccessDenied: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "access_denied";
            /** @description for people */
            message: string;
        };
        ActionRequired: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "action-required";
            /** @description for people */
            message: string;
            details: {
                /** @description what must be done, in this order, before the token opens anything else */
                required: ("change-password" | "verify-address" | "enrol" | "accept")[];
            };
        };
        AddPasskeyAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                passkey: {
                    /** @description its credential id, base64url */
                    id: string;
                    /** @description the name given by the user */
                    name: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC
                     */
                    createdAt: string;
                    lastUsedAt: string | null;
                    /** @description whether it can be on several devices */
                    synced: boolean;
                    /** @description whether it is on several devices, according to its authenticator */
                    backedUp: boolean;
                    transports: string[];
                    /** @description the AAGUID of the authenticator; null if unknown */
                    model: string | null;
                    suspectedCloneAt: string | null;
                };
                /** @description ten, with the first passkey of a user without another second factor; never shown again */
                recoveryCodes?: string[];
            };
        };
        AddPasskeyRequest: {
            /** @description the result of `navigator.credentials.create`, as JSON */
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
            /** @description 1-100 characters, without control and bidirectional characters; default: `Passkey` */
            name?: string;
        };
        AlreadyVerified: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /** @enum {string} */
            error: "already-verified";
            /** @description for people */
            message: string;
        };
        AppAccessDenied: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "access_denied";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        AppActionRequired: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "action-required";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
            details: {
                /** @description what must be done, in this order, before the token opens anything else */
                required: ("change-password" | "verify-address" | "enrol" | "accept")[];
            };
        };
        AppAuthorizationPending: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "authorization_pending";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        AppExpiredToken: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "expired_token";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        AppForbidden: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "insufficient_scope";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
        };
        AppInteractionRequired: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "interaction_required";
            /** @description for people */
            message: string;
            /** @description the same */
            error_description: string;
            details: {
                /** @description what must be done, in this order, before the token opens anything else */
                required: ("change-password" | "verify-address" | "enrol" | "accept")[];
            };
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
        AppInvalidClientMetadata: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "invalid_client_metadata";
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
        AppInvalidRedirectUri: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "invalid_redirect_uri";
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
        AppSecondFactorEnrolmentRequired: {
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
            /** @description the same */
            error_description: string;
        };
        AppSlowDown: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "slow_down";
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
                 * @description what was wrong; a session continues
                 * @enum {string}
                 */
                wrong: "password" | "passkey";
                /**
                 * @description the passkey does not exist: call `PublicKeyCredential.signalUnknownCredential`
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
        ApproveDeviceLinkAnswer: {
            /** @enum {string} */
            status: "success";
        };
        ApproveDeviceLinkRequest: {
            /** @description of `POST /auth/device-links/open` */
            linkId: string;
            /** @description four digits, as the new device shows them */
            checkCode: string;
            /** @description together with `code` if the user has a second factor; or send `passkey` */
            password?: string;
            /** @description six digits, eight of a mail, or a recovery code; at most 64 characters */
            code?: string;
            /** @description the result of `navigator.credentials.get` for the options of `POST /auth/passkey/options`, as JSON */
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
        Approved: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "approved";
            /** @description for people */
            message: string;
            details: {
                /** @description whom the device will be signed in as */
                account: {
                    name: string;
                    username: string;
                };
            };
        };
        AskForSignInCodeAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for `POST /auth/code/login`; keep it where the user types the code */
                requestId: string;
                /** @description seconds, 600 */
                expiresIn: number;
            };
        };
        AskForSignInCodeRequest: {
            /** @description exactly one of the three */
            email?: string;
            /** @description exactly one of the three */
            username?: string;
            /** @description exactly one of the three: any way to name a user that the server supports */
            user?: string;
            /** @description a mobile number instead of them, with `accounts.phones.signIn` */
            phone?: string;
        };
        AuthorizationPending: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "authorization_pending";
            /** @description for people */
            message: string;
        };
        AuthorizeByFormRequest: {
            /** @description the id of the app */
            client_id: string;
            /** @enum {string} */
            response_type: "code";
            /** @description exactly one of the app's; the port may differ for a native app on a loopback address */
            redirect_uri: string;
            /** @description requested scopes, separated by blanks; default: its `defaultScopes` */
            scope?: string;
            /** @description 43 characters base64url (RFC 7636 §4.2); an app with `allowNonceInsteadOfPkce` may send a `nonce` instead */
            code_challenge: string;
            /** @enum {string} */
            code_challenge_method: "S256";
            /** @description returned unchanged; at most 2048 characters */
            state?: string;
            /** @description copied into the ID token; at most 512 characters */
            nonce?: string;
            /** @description `none`, `login`, `consent`, `select_account`; with `none`, an error is returned instead of a page */
            prompt?: string;
            /** @description maximum age of the sign-in, in seconds */
            max_age?: string;
            /** @description an ID token of this app: the user who should sign in */
            id_token_hint?: string;
            /** @description required assurance: `urn:mar:2fa` for a second factor */
            acr_values?: string;
            /** @description the API that tokens are for (RFC 8707); may be repeated */
            resource?: string[];
            /**
             * @description default `query`; with `form_post` the browser posts the answer to a redirect URI of http(s)
             * @enum {string}
             */
            response_mode?: "query" | "form_post";
        };
        AuthorizeDeviceAnswer: {
            /** @description a secret of the device */
            device_code: string;
            /** @description for the user to type, such as `BCDF-GHJK` */
            user_code: string;
            /** @description the page on which the user types it */
            verification_uri: string;
            /** @description with the option `completeUri`: the same with the code in it */
            verification_uri_complete?: string;
            /** @description seconds until the code is void */
            expires_in: number;
            /** @description seconds between two questions */
            interval: number;
        };
        AuthorizeDeviceRequest: {
            /** @description what it wants to do; default: the default scopes of the app */
            scope?: string;
            /** @description an API that tokens are to be for (RFC 8707) */
            resource?: string;
            /** @description for apps without `Authorization: Basic` */
            client_id?: string;
            /** @description for apps that send it in the body */
            client_secret?: string;
            /** @description for apps with their own keys: `iss` and `sub` are the id of the app, `aud` is the issuer or this endpoint, `exp` is at most 5 minutes ahead, `jti` is used once (RFC 7523 §3) */
            client_assertion?: string;
            /**
             * @description required with `client_assertion`
             * @enum {string}
             */
            client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        };
        BeginDeviceLinkAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for `POST /auth/device-links/collect` */
                linkId: string;
                /** @description an address; the link is what follows its `#` */
                qr: string;
                /** @description if the server has them: the link, for people to type */
                shortCode?: string;
                /** @description seconds between two questions */
                interval: number;
                /** @description seconds */
                expiresIn: number;
            };
        };
        BeginDeviceLinkRequest: {
            /** @description `S256` of a verifier (RFC 7636 §4.2); keep the verifier */
            codeChallenge: string;
            /** @description what the device calls itself, at most 60 characters */
            name?: string;
        };
        BeginTotpAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description base32, for typing */
                secret: string;
                /** @description the content of the QR code */
                otpauthUri: string;
                /** @description seconds, 600 */
                expiresIn: number;
            };
        };
        BeginTotpRequest: {
            /** @description the user's password */
            password: string;
        };
        ChangeEmailAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for `POST /auth/email/confirm`; keep it where the user types the code */
                requestId: string;
                /** @description seconds, 600 */
                expiresIn: number;
            };
        };
        ChangeEmailRequest: {
            /** @description together with `code` if the user has a second factor; or send `passkey` */
            password?: string;
            /** @description six digits, eight of a mail, or a recovery code; at most 64 characters */
            code?: string;
            /** @description the result of `navigator.credentials.get` for the options of `POST /auth/passkey/options`, as JSON */
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
            /** @description the new address */
            email: string;
        };
        ChangePasswordAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description how many sessions ended */
                revoked: number;
            };
        };
        ChangePasswordRequest: {
            /** @description together with `code` if the user has a second factor; or send `passkey` */
            password?: string;
            /** @description six digits, eight of a mail, or a recovery code; at most 64 characters */
            code?: string;
            /** @description the result of `navigator.credentials.get` for the options of `POST /auth/passkey/options`, as JSON */
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
            /** @description the new password */
            newPassword: string;
        };
        ChangePhoneAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for `POST /auth/phone/confirm`; keep it where the user types the code */
                requestId: string;
                /** @description seconds, 600 */
                expiresIn: number;
            };
        };
        ChangePhoneRequest: {
            /** @description together with `code` if the user has a second factor; or send `passkey` */
            password?: string;
            /** @description six digits, eight of a mail, or a recovery code; at most 64 characters */
            code?: string;
            /** @description the result of `navigator.credentials.get` for the options of `POST /auth/passkey/options`, as JSON */
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
            /** @description the new number */
            phone: string;
        };
        CollectDeviceLinkAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for the header `X-User-Id` */
                userId: string;
                /** @description for the header `X-Auth-Token` or `Authorization: Bearer`; valid until the session ends, with `refreshable` for `expiresIn` seconds */
                authToken: string;
                me: {
                    /** @description the user's id */
                    _id: string;
                    /** @description for display */
                    name: string;
                    username: string;
                    /**
                     * @description `offline` if the server does not know
                     * @enum {string}
                     */
                    status: "online" | "away" | "busy" | "offline";
                } & {
                    [key: string]: unknown;
                };
                /**
                 * @description the user must have a second factor but has none: the token only allows enrolment
                 * @enum {boolean}
                 */
                enrolmentRequired?: true;
                /** @description what must be done, in this order, before the token opens anything else */
                required?: ("change-password" | "verify-address" | "enrol" | "accept")[];
                /** @description only with `refreshable`: for `POST /auth/refresh` */
                refreshToken?: string;
                /** @description only with `refreshable`: lifetime of `authToken` in seconds */
                expiresIn?: number;
                /** @description with `remember` or `rememberToken`: keep it after the session, and send it with the next sign-in */
                rememberToken?: string;
            };
        };
        CollectDeviceLinkRequest: {
            /** @description of `POST /auth/device-links` */
            linkId: string;
            /** @description of its `codeChallenge` */
            codeVerifier: string;
            /**
             * @description the user of this device continues as the account of `approved`
             * @enum {boolean}
             */
            confirm?: true;
        };
        ConfirmAccountDeletionAnswer: {
            /** @enum {string} */
            status: "success";
            data: Record<string, never>;
        };
        ConfirmAccountDeletionRequest: {
            /** @description as it was answered */
            requestId: string;
            /** @description eight digits; blanks and hyphens do not count */
            code: string;
        };
        ConfirmEmailAnswer: {
            /** @enum {string} */
            status: "success";
            data: Record<string, never>;
        };
        ConfirmEmailRequest: {
            /** @description as it was answered */
            requestId: string;
            /** @description eight digits; blanks and hyphens do not count */
            code: string;
        };
        ConfirmPhoneAnswer: {
            /** @enum {string} */
            status: "success";
            data: Record<string, never>;
        };
        ConfirmPhoneRequest: {
            /** @description as it was answered */
            requestId: string;
            /** @description eight digits; blanks and hyphens do not count */
            code: string;
        };
        ConfirmRegistrationAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for the header `X-User-Id` */
                userId: string;
                /** @description for the header `X-Auth-Token` or `Authorization: Bearer`; valid until the session ends, with `refreshable` for `expiresIn` seconds */
                authToken: string;
                me: {
                    /** @description the user's id */
                    _id: string;
                    /** @description for display */
                    name: string;
                    username: string;
                    /**
                     * @description `offline` if the server does not know
                     * @enum {string}
                     */
                    status: "online" | "away" | "busy" | "offline";
                } & {
                    [key: string]: unknown;
                };
                /**
                 * @description the user must have a second factor but has none: the token only allows enrolment
                 * @enum {boolean}
                 */
                enrolmentRequired?: true;
                /** @description what must be done, in this order, before the token opens anything else */
                required?: ("change-password" | "verify-address" | "enrol" | "accept")[];
                /** @description only with `refreshable`: for `POST /auth/refresh` */
                refreshToken?: string;
                /** @description only with `refreshable`: lifetime of `authToken` in seconds */
                expiresIn?: number;
                /** @description with `remember` or `rememberToken`: keep it after the session, and send it with the next sign-in */
                rememberToken?: string;
            };
        };
        ConfirmRegistrationRequest: {
            /** @description as it was answered */
            requestId: string;
            /** @description eight digits; blanks and hyphens do not count */
            code: string;
            /** @description the new password; optional where users sign in by mailed codes */
            password?: string;
            /** @description instead of the one that is taken */
            username?: string;
            /**
             * @description `refreshable`: a short-lived `authToken` and a `refreshToken` for `POST /auth/refresh`; default: `session`
             * @enum {string}
             */
            tokens?: "session" | "refreshable";
        };
        ConfirmTotpAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description ten, never shown again */
                recoveryCodes: string[];
            };
        };
        ConfirmTotpRequest: {
            /** @description six digits from the app */
            code: string;
        };
        ConnectIdentityAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                identity: {
                    /** @description for `DELETE /auth/identities/:id` */
                    id: string;
                    /** @description the id of the provider */
                    provider: string;
                    /** @description what its owner knows it by, such as an address */
                    label: string | null;
                    /** Format: date-time */
                    createdAt: string;
                    lastUsedAt: string | null;
                };
            };
        };
        ConnectIdentityRequest: {
            /** @description as it came to `returnTo` */
            ticket: string;
            /** @description of the `codeChallenge` */
            codeVerifier: string;
        };
        DeleteAccountAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description only with 202: for `POST /auth/account/delete/confirm` */
                requestId?: string;
                /** @description only with 202: seconds, 600 */
                expiresIn?: number;
            };
        };
        DeleteAccountRequest: {
            /** @description together with `code` if the user has a second factor; or send `passkey` */
            password?: string;
            /** @description six digits, eight of a mail, or a recovery code; at most 64 characters */
            code?: string;
            /** @description the result of `navigator.credentials.get` for the options of `POST /auth/passkey/options`, as JSON */
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
        DenyDeviceLinkAnswer: {
            /** @enum {string} */
            status: "success";
        };
        DenyDeviceLinkRequest: {
            /** @description of `POST /auth/device-links/open` */
            linkId: string;
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
            /** @description the user's password */
            password: string;
            /** @description six digits, or a recovery code; at most 64 characters */
            code: string;
        };
        DisconnectIdentityAnswer: {
            /** @enum {string} */
            status: "success";
        };
        DisconnectIdentityRequest: {
            /** @description together with `code` if the user has a second factor; or send `passkey` */
            password?: string;
            /** @description six digits, eight of a mail, or a recovery code; at most 64 characters */
            code?: string;
            /** @description the result of `navigator.credentials.get` for the options of `POST /auth/passkey/options`, as JSON */
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
        EndProviderSessionsRequest: {
            /** @description a JWT of the provider */
            logout_token: string;
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
            /** @description seconds until the access token expires */
            expires_in: number;
            /** @description replaces the previous one; store both tokens before you use either */
            refresh_token: string;
        };
        ExchangeCodeRequest: {
            /** @description from `POST /auth/pkce/authorize`, or from the server's own page */
            authorizationCode: string;
            /** @description 43 to 128 characters of `A-Z a-z 0-9 - . _ ~` (RFC 7636 §4.1) */
            codeVerifier: string;
        };
        ExpiredToken: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "expired_token";
            /** @description for people */
            message: string;
        };
        FinishProviderSignInAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for the header `X-User-Id` */
                userId: string;
                /** @description for the header `X-Auth-Token` or `Authorization: Bearer`; valid until the session ends, with `refreshable` for `expiresIn` seconds */
                authToken: string;
                me: {
                    /** @description the user's id */
                    _id: string;
                    /** @description for display */
                    name: string;
                    username: string;
                    /**
                     * @description `offline` if the server does not know
                     * @enum {string}
                     */
                    status: "online" | "away" | "busy" | "offline";
                } & {
                    [key: string]: unknown;
                };
                /**
                 * @description the user must have a second factor but has none: the token only allows enrolment
                 * @enum {boolean}
                 */
                enrolmentRequired?: true;
                /** @description what must be done, in this order, before the token opens anything else */
                required?: ("change-password" | "verify-address" | "enrol" | "accept")[];
                /** @description only with `refreshable`: for `POST /auth/refresh` */
                refreshToken?: string;
                /** @description only with `refreshable`: lifetime of `authToken` in seconds */
                expiresIn?: number;
                /** @description with `remember` or `rememberToken`: keep it after the session, and send it with the next sign-in */
                rememberToken?: string;
            };
        };
        FinishProviderSignInRequest: {
            /** @description as it came to `returnTo` */
            ticket: string;
            /** @description of the `codeChallenge` */
            codeVerifier: string;
            /** @description a second-factor code, after `totp-required` */
            code?: string;
            /** @description a passkey instead of the code */
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
            /** @description for a new user, instead of the name that is taken */
            username?: string;
            /**
             * @description `refreshable`: a short-lived `authToken` and a `refreshToken` for `POST /auth/refresh`; default: `session`
             * @enum {string}
             */
            tokens?: "session" | "refreshable";
            /** @description whether this browser is not asked for a second factor again for some days */
            remember?: boolean;
            /** @description from the answer of the last sign-in in this browser: stands for `code`, once */
            rememberToken?: string;
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
        ForgetRememberedBrowserAnswer: {
            /** @enum {string} */
            status: "success";
            data: Record<string, never>;
        };
        ForgotPasswordAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description seconds that a link works */
                expiresIn: number;
            };
        };
        ForgotPasswordRequest: {
            /** @description exactly one of the three */
            email?: string;
            /** @description exactly one of the three */
            username?: string;
            /** @description exactly one of the three: any way to name a user that the server supports */
            user?: string;
        };
        GetEmailAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                email: string | null;
                /** @description whether it is proven */
                verified: boolean;
                /** @description only with `accounts.emailSecondFactor`: whether codes by mail are on */
                secondFactor?: boolean;
            };
        };
        GetInvitationAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description the only address that it registers */
                email?: string;
                /** @description a note of the server */
                note?: string;
                /** Format: date-time */
                expiresAt: string;
            };
        };
        GetKeysAnswer: {
            keys: ({
                /** @description kind of key */
                kty: string;
                /** @description the id that tokens name */
                kid?: string;
                /** @description such as `ES256` */
                alg?: string;
                /** @enum {string} */
                use?: "sig";
                /** @description the name of an elliptic curve */
                crv?: string;
                x?: string;
                y?: string;
                /** @description for RSA */
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
             * @description `offline` if the server does not know
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
                /** @description opaque; works once, within five minutes */
                challenge: string;
                rp: {
                    /** @description the domain */
                    id: string;
                    /** @description the name of the service */
                    name: string;
                };
                user: {
                    /** @description base64url, 32 random bytes; the same at each request of the user */
                    id: string;
                    /** @description the user name */
                    name: string;
                    displayName: string;
                };
                pubKeyCredParams: {
                    /** @enum {string} */
                    type: "public-key";
                    /** @description number of COSE */
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
            /** @description together with `code` if the user has a second factor; or send `passkey` */
            password?: string;
            /** @description six digits, eight of a mail, or a recovery code; at most 64 characters */
            code?: string;
            /** @description the result of `navigator.credentials.get` for the options of `POST /auth/passkey/options`, as JSON */
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
                /** @description opaque; works once, within five minutes */
                challenge: string;
                /** @description the domain of the passkeys */
                rpId: string;
                /** @description milliseconds, 300,000 */
                timeout: number;
                /** @description absent: any passkey of this site */
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
        GetPhoneAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                phone: string | null;
                /** @description whether it is proven */
                verified: boolean;
                /** @description only with `accounts.phones.secondFactor`: whether codes by text message are on */
                secondFactor?: boolean;
            };
        };
        GetRegistrationAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description whether anybody may register */
                open: boolean;
                /** @description whether an invitation is required */
                invited: boolean;
                passwordRules: {
                    /** @description the least number of characters */
                    minLength: number;
                    /** @description the greatest number of characters */
                    maxLength: number;
                };
            };
        };
        GetServerMetadataAnswer: {
            /** @description the `iss` of tokens */
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
            /** @description seconds until the access token expires */
            expires_in: number;
            /** @description the granted scope, perhaps less than requested */
            scope: string;
            /** @description with `offline_access`, and for native apps; for a public app it replaces the previous one */
            refresh_token?: string;
            /** @description with the scope `openid`: a JWT that identifies the user */
            id_token?: string;
        };
        GetTokensRequest: {
            /**
             * @description the kind of grant
             * @enum {string}
             */
            grant_type: "authorization_code" | "refresh_token" | "urn:ietf:params:oauth:grant-type:device_code" | "client_credentials";
            /** @description of the first */
            code?: string;
            /** @description of the first: the one that the code was sent to */
            redirect_uri?: string;
            /** @description of the first (RFC 7636 §4.1) */
            code_verifier?: string;
            /** @description of the second */
            refresh_token?: string;
            /** @description of the second: less than was granted; of the fourth: those that the service needs */
            scope?: string;
            /** @description of the third */
            device_code?: string;
            /** @description the API that the access token is for (RFC 8707) */
            resource?: string;
            /** @description for apps without `Authorization: Basic` */
            client_id?: string;
            /** @description for apps that send it in the body */
            client_secret?: string;
            /** @description for apps with their own keys: `iss` and `sub` are the id of the app, `aud` is the issuer or this endpoint, `exp` is at most 5 minutes ahead, `jti` is used once (RFC 7523 §3) */
            client_assertion?: string;
            /**
             * @description required with `client_assertion`
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
        IdentityInUse: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "identity-in-use";
            /** @description for people */
            message: string;
        };
        IntrospectTokenAnswer: {
            /** @description false, and no other member, for every token that is not valid */
            active: boolean;
            /** @description the scope of the token */
            scope?: string;
            /** @description the app; for a token of your own clients, the API's name */
            client_id?: string;
            /** @description the user's name */
            username?: string;
            /** @description the user's id */
            sub?: string;
            /** @description the issuer */
            iss?: string;
            /** @description when it expires, in seconds since 1970 */
            exp?: number;
            /** @description the session */
            sid?: string;
            /** @description when the user signed in */
            auth_time?: number;
            /** @description methods of that sign-in (RFC 8176) */
            amr?: string[];
            /** @description for an access token: the API */
            aud?: string;
            /** @description for an access token: the time of issue */
            iat?: number;
            /**
             * @description for an access token
             * @enum {string}
             */
            token_type?: "Bearer";
            /** @description who of your staff acts for the user (RFC 8693) */
            act?: {
                /** @description the actor's id */
                sub: string;
            };
        };
        IntrospectTokenRequest: {
            /** @description an access token for one of the app's `resources`, or its own refresh token */
            token: string;
            /** @description ignored */
            token_type_hint?: string;
            /** @description for apps without `Authorization: Basic` */
            client_id?: string;
            /** @description for apps that send it in the body */
            client_secret?: string;
            /** @description for apps with their own keys: `iss` and `sub` are the id of the app, `aud` is the issuer or this endpoint, `exp` is at most 5 minutes ahead, `jti` is used once (RFC 7523 §3) */
            client_assertion?: string;
            /**
             * @description required with `client_assertion`
             * @enum {string}
             */
            client_assertion_type?: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        };
        InvalidGrant: {
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
        };
        InvalidRequest: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
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
             * @description the only supported method
             * @enum {string}
             */
            codeChallengeMethod?: "S256";
        };
        IssueSocketTicketAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description send it as a sub-protocol, after `auth.ticket` */
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
                    /** @description the name of the app; null if the app no longer exists */
                    name: string | null;
                    /** @description at the server's own API */
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
        ListDocumentsToAcceptAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description those that this user has not accepted yet */
                documents: {
                    id: string;
                    version: string;
                    /** @description for people */
                    name: string;
                    /** @description where it can be read */
                    url: string;
                }[];
            };
        };
        ListIdentitiesAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                identities: {
                    /** @description for `DELETE /auth/identities/:id` */
                    id: string;
                    /** @description the id of the provider */
                    provider: string;
                    /** @description what its owner knows it by, such as an address */
                    label: string | null;
                    /** Format: date-time */
                    createdAt: string;
                    lastUsedAt: string | null;
                }[];
            };
        };
        ListNamedTokensAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                accessTokens: {
                    /** @description the id of its session; not a credential */
                    id: string;
                    /** @description the name given at creation */
                    name: string;
                    /** @description `*` means everything */
                    scope: string[];
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC
                     */
                    createdAt: string;
                    /**
                     * Format: date-time
                     * @description updated at most once a minute
                     */
                    lastSeenAt: string;
                    /**
                     * Format: date-time
                     * @description fixed at creation
                     */
                    expiresAt: string;
                    /** @description the address at `lastSeenAt` */
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
                    /** @description the name given by the user */
                    name: string;
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC
                     */
                    createdAt: string;
                    lastUsedAt: string | null;
                    /** @description whether it can be on several devices */
                    synced: boolean;
                    /** @description whether it is on several devices, according to its authenticator */
                    backedUp: boolean;
                    transports: string[];
                    /** @description the AAGUID of the authenticator; null if unknown */
                    model: string | null;
                    suspectedCloneAt: string | null;
                }[];
            };
        };
        ListProvidersAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                providers: {
                    id: string;
                    /** @description for the button */
                    name: string;
                }[];
            };
        };
        ListRememberedBrowsersAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                browsers: {
                    id: string;
                    /** @description for people, such as `Firefox on Linux` */
                    name: string | null;
                    /**
                     * Format: date-time
                     * @description when the second factor was shown there
                     */
                    since: string;
                    /** Format: date-time */
                    expiresAt: string;
                }[];
            };
        };
        ListSessionsAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                sessions: {
                    /** @description not a credential */
                    id: string;
                    /** @description whether it is the calling session */
                    current: boolean;
                    /**
                     * @description how it was opened; `acting`: a member of staff acts for the user
                     * @enum {string}
                     */
                    kind: "login" | "pkce" | "browser" | "token" | "oauth" | "service" | "acting";
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC
                     */
                    createdAt: string;
                    /**
                     * Format: date-time
                     * @description updated once in a twentieth of `sessionIdle`
                     */
                    lastSeenAt: string;
                    /**
                     * Format: date-time
                     * @description the absolute end
                     */
                    expiresAt: string;
                    /** @description the address at `lastSeenAt` */
                    ip: string | null;
                    userAgent: string | null;
                    /** @description the device for people, such as `Firefox on Linux`; for a named token or an app, its name; for `acting`, `Support: ` and why */
                    name: string | null;
                    /** @description open sockets in the process that answers */
                    liveSockets: number;
                    /** @description the `id` of the session that opened it, such as that of the browser in which the user signed in to an app; a session of kind `pkce` may be on another device */
                    openedBy: string | null;
                    actor: {
                        /** @description the id of that member of staff */
                        id: string;
                    } | null;
                }[];
            };
        };
        LogInAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for the header `X-User-Id` */
                userId: string;
                /** @description for the header `X-Auth-Token` or `Authorization: Bearer`; valid until the session ends, with `refreshable` for `expiresIn` seconds */
                authToken: string;
                me: {
                    /** @description the user's id */
                    _id: string;
                    /** @description for display */
                    name: string;
                    username: string;
                    /**
                     * @description `offline` if the server does not know
                     * @enum {string}
                     */
                    status: "online" | "away" | "busy" | "offline";
                } & {
                    [key: string]: unknown;
                };
                /**
                 * @description the user must have a second factor but has none: the token only allows enrolment
                 * @enum {boolean}
                 */
                enrolmentRequired?: true;
                /** @description what must be done, in this order, before the token opens anything else */
                required?: ("change-password" | "verify-address" | "enrol" | "accept")[];
                /** @description only with `refreshable`: for `POST /auth/refresh` */
                refreshToken?: string;
                /** @description only with `refreshable`: lifetime of `authToken` in seconds */
                expiresIn?: number;
                /** @description with `remember` or `rememberToken`: keep it after the session, and send it with the next sign-in */
                rememberToken?: string;
            };
        };
        LogInByCodeAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for the header `X-User-Id` */
                userId: string;
                /** @description for the header `X-Auth-Token` or `Authorization: Bearer`; valid until the session ends, with `refreshable` for `expiresIn` seconds */
                authToken: string;
                me: {
                    /** @description the user's id */
                    _id: string;
                    /** @description for display */
                    name: string;
                    username: string;
                    /**
                     * @description `offline` if the server does not know
                     * @enum {string}
                     */
                    status: "online" | "away" | "busy" | "offline";
                } & {
                    [key: string]: unknown;
                };
                /**
                 * @description the user must have a second factor but has none: the token only allows enrolment
                 * @enum {boolean}
                 */
                enrolmentRequired?: true;
                /** @description what must be done, in this order, before the token opens anything else */
                required?: ("change-password" | "verify-address" | "enrol" | "accept")[];
                /** @description only with `refreshable`: for `POST /auth/refresh` */
                refreshToken?: string;
                /** @description only with `refreshable`: lifetime of `authToken` in seconds */
                expiresIn?: number;
                /** @description with `remember` or `rememberToken`: keep it after the session, and send it with the next sign-in */
                rememberToken?: string;
            };
        };
        LogInByCodeRequest: {
            /** @description as it was answered */
            requestId: string;
            /** @description eight digits from the message; blanks and hyphens do not count */
            code: string;
            /** @description only after 403 `reauthentication-required`, for a code that went to a number */
            password?: string;
            /** @description six digits from the app, or a recovery code; at most 64 characters */
            secondFactor?: string;
            /** @description instead of `secondFactor`: the result of `navigator.credentials.get` for `details.passkeyOptions` of a 401 `totp-required`, as JSON */
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
             * @description `refreshable`: a short-lived `authToken` and a `refreshToken` for `POST /auth/refresh`; default: `session`
             * @enum {string}
             */
            tokens?: "session" | "refreshable";
            /** @description whether this browser is not asked for a second factor again for some days */
            remember?: boolean;
            /** @description from the answer of the last sign-in in this browser: stands for `code`, once */
            rememberToken?: string;
        };
        LogInByPasskeyAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for the header `X-User-Id` */
                userId: string;
                /** @description as in `POST /login` */
                authToken: string;
                me: {
                    /** @description the user's id */
                    _id: string;
                    /** @description for display */
                    name: string;
                    username: string;
                    /**
                     * @description `offline` if the server does not know
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
                    /** @description all passkeys of the user */
                    credentialIds: string[];
                };
                /** @description what must be done, in this order, before the token opens anything else */
                required?: ("change-password" | "verify-address" | "enrol" | "accept")[];
                /** @description only with `refreshable`: for `POST /auth/refresh` */
                refreshToken?: string;
                /** @description only with `refreshable`: lifetime of `authToken` in seconds */
                expiresIn?: number;
            };
        };
        LogInByPasskeyRequest: {
            /** @description the result of `navigator.credentials.get`, as JSON */
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
             * @description `refreshable`: a short-lived `authToken` and a `refreshToken` for `POST /auth/refresh`; default: `session`
             * @enum {string}
             */
            tokens?: "session" | "refreshable";
        };
        LogInRequest: {
            /** @description as typed: not trimmed. Compared in Unicode form NFC, then as typed */
            password: string;
            /** @description exactly one of `email`, `username` and `user`; at most 320 characters, Unicode form NFKC, no control characters */
            email?: string;
            /** @description exactly one of the three */
            username?: string;
            /** @description exactly one of the three: any way to name a user that the server supports */
            user?: string;
            /** @description six digits from the app, or a recovery code; at most 64 characters */
            code?: string;
            /** @description instead of `code`: the result of `navigator.credentials.get` for `details.passkeyOptions` of a 401 `totp-required`, as JSON */
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
            /** @description whether this browser is not asked for a second factor again for some days */
            remember?: boolean;
            /** @description from the answer of the last sign-in in this browser: stands for `code`, once */
            rememberToken?: string;
            /**
             * @description `refreshable`: a short-lived `authToken` and a `refreshToken` for `POST /auth/refresh`; default: `session`
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
        LogoutByAppFormRequest: {
            /** @description the last ID token of this user for this app, expired or not; with it, a user who is signed in by the same session is not asked */
            id_token_hint?: string;
            /** @description the id of the app; not needed with `id_token_hint` */
            client_id?: string;
            /** @description where the browser returns to: exactly one of the app's `postLogoutRedirectUris`; the port may differ for a native app on a loopback address */
            post_logout_redirect_uri?: string;
            /** @description returned unchanged; at most 2048 characters */
            state?: string;
            /** @description ignored */
            logout_hint?: string;
            /** @description languages of the page, separated by blanks */
            ui_locales?: string;
        };
        MakeNamedTokenAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for `DELETE` */
                id: string;
                /** @description `mar_pat_…`, never shown again */
                token: string;
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC
                 */
                expiresAt: string;
            };
        };
        MakeNamedTokenRequest: {
            /** @description 1-100 characters, without control and bidirectional characters */
            name: string;
            /** @description words, up to 1,000 characters in all; default: `*` */
            scope?: string | string[];
            /** @description seconds, 60 to 31,536,000 (365 days); default: 7,776,000 (90 days) */
            expiresIn?: number;
            /** @description together with `code` if the user has a second factor; or send `passkey` */
            password?: string;
            /** @description six digits, eight of a mail, or a recovery code; at most 64 characters */
            code?: string;
            /** @description the result of `navigator.credentials.get` for the options of `POST /auth/passkey/options`, as JSON */
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
        OpenDeviceLinkAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for the next request */
                linkId: string;
                /** @description what the device calls itself: it may lie */
                name: string | null;
                /** @description where the device is, by its address */
                network: string | null;
                /** @description whether the caller is there, too: warn if not */
                sameNetwork: boolean;
                /** @description the device, such as "Firefox on Linux" */
                agent: string | null;
                /**
                 * Format: date-time
                 * @description when it began
                 */
                at: string;
            };
        };
        OpenDeviceLinkRequest: {
            /** @description what follows `#` in the picture, or the short code */
            link: string;
        };
        Opened: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "opened";
            /** @description for people */
            message: string;
            details: {
                /** @description four digits, for the user to type into the other device */
                checkCode: string;
            };
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
        PasswordElsewhere: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "password-elsewhere";
            /** @description for people */
            message: string;
            details: {
                /** @description the directory that has the password, for people */
                name: string;
                /** @description where the password is changed */
                url: string | null;
            };
        };
        PasswordExpired: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "password-expired";
            /** @description for people */
            message: string;
            details: {
                /** @description where the password is changed */
                url: string | null;
            };
        };
        PasswordRefused: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "password-refused";
            /** @description for people */
            message: string;
            details: {
                /** @description `context`: it is made of a name or the address */
                reasons: ("too-short" | "too-long" | "common" | "context" | "breached" | "known")[];
                /** @description the least number of characters for this user */
                minLength: number;
            };
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
        PhoneInUse: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "phone-in-use";
            /** @description for people */
            message: string;
            details?: {
                /** @description from then on another code takes the number over; ISO 8601 */
                until: string;
            };
        };
        ProofRefused: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "proof-refused";
            /** @description for people */
            message: string;
            details?: {
                /**
                 * @description only for a token that was real
                 * @enum {string}
                 */
                reason?: "used" | "expired";
                /** @description after a wrong check code of a linked device */
                triesLeft?: number;
            };
        };
        ProviderRefused: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "provider-refused";
            /** @description for people */
            message: string;
            details?: {
                /**
                 * @description no user here is connected with this account
                 * @enum {string}
                 */
                reason: "not-connected";
                /** @description whether the pages connect it, if the user signs in there once */
                canConnect: boolean;
            };
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
            /** @description together with `code` if the user has a second factor; or send `passkey` */
            password?: string;
            /** @description six digits, eight of a mail, or a recovery code; at most 64 characters */
            code?: string;
            /** @description the result of `navigator.credentials.get` for the options of `POST /auth/passkey/options`, as JSON */
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
                /** @description maximum age of the sign-in, in seconds */
                maxAge: number;
            };
        };
        RefreshAnswer: {
            /** @description a JWT; treat it as opaque */
            access_token: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description seconds until the access token expires */
            expires_in: number;
            /** @description replaces the previous one; store both tokens before you use either */
            refresh_token: string;
        };
        RefreshRequest: {
            /** @description exactly one of the two */
            refreshToken?: string;
            /** @description the same under its OAuth name */
            refresh_token?: string;
        };
        RegisterAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for `POST /auth/register/confirm`; keep it where the code is typed */
                requestId: string;
                /** @description seconds, 3600 */
                expiresIn: number;
            };
        };
        RegisterClientAnswer: {
            /** @description the id of the app from now on */
            client_id: string;
            /** @description when, in seconds since 1970 */
            client_id_issued_at: number;
            /** @description what the app calls itself: 1 to 60 characters on one line, with a letter or digit, and none of them invisible */
            client_name?: string;
            /** @description 1 to 20: of the device, such as `http://127.0.0.1/callback`, with any port later, or of a host that the server lists */
            redirect_uris: string[];
            /** @description what it may exchange for tokens */
            grant_types: string[];
            /** @description `code` */
            response_types: string[];
            /**
             * @description there are no secrets
             * @enum {string}
             */
            token_endpoint_auth_method: "none";
            /** @description all that it may ask for */
            scope: string;
        };
        RegisterClientRequest: {
            /** @description what the app calls itself: 1 to 60 characters on one line, with a letter or digit, and none of them invisible */
            client_name?: string;
            /** @description 1 to 20: of the device, such as `http://127.0.0.1/callback`, with any port later, or of a host that the server lists */
            redirect_uris: string[];
            /**
             * @description there are no secrets
             * @enum {string}
             */
            token_endpoint_auth_method?: "none";
            /** @description with `authorization_code`; default: that one */
            grant_types?: string[];
            /** @description `code`, which is the default */
            response_types?: string[];
        };
        RegisterRequest: {
            /** @description one address, without a name */
            email: string;
            /** @description at most 320 characters, Unicode form NFKC, none that nobody sees */
            username: string;
            /** @description the name that others see, with the same rules */
            name: string;
            /** @description the language of the user, such as `de` or `pt-BR` */
            locale?: string;
            /** @description the token of an invitation */
            invitation?: string;
        };
        RegistrationClosed: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "registration-closed";
            /** @description for people */
            message: string;
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
                /** @description the stored name */
                name: string;
            };
        };
        RenamePasskeyRequest: {
            /** @description 1-100 characters, without control and bidirectional characters */
            name: string;
        };
        ReplaceRecoveryCodesAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description ten, never shown again */
                recoveryCodes: string[];
            };
        };
        ReplaceRecoveryCodesRequest: {
            /** @description the user's password */
            password: string;
            /** @description six digits, or a recovery code; at most 64 characters */
            code: string;
        };
        ResetPasswordAnswer: {
            /** @enum {string} */
            status: "success";
            data: Record<string, never>;
        };
        ResetPasswordRequest: {
            /** @description from the link */
            token: string;
            /** @description the new password */
            password: string;
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
            /** @description ignored */
            token_type_hint?: string;
            /** @description for apps without `Authorization: Basic` */
            client_id?: string;
            /** @description for apps that send it in the body */
            client_secret?: string;
            /** @description for apps with their own keys: `iss` and `sub` are the id of the app, `aud` is the issuer or this endpoint, `exp` is at most 5 minutes ahead, `jti` is used once (RFC 7523 §3) */
            client_assertion?: string;
            /**
             * @description required with `client_assertion`
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
        SetEmailSecondFactorAnswer: {
            /** @enum {string} */
            status: "success";
            data: Record<string, never>;
        };
        SetEmailSecondFactorRequest: {
            /** @description together with `code` if the user has a second factor; or send `passkey` */
            password?: string;
            /** @description six digits, eight of a mail, or a recovery code; at most 64 characters */
            code?: string;
            /** @description the result of `navigator.credentials.get` for the options of `POST /auth/passkey/options`, as JSON */
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
            /** @description on or off */
            enabled: boolean;
        };
        SetPhoneSecondFactorAnswer: {
            /** @enum {string} */
            status: "success";
            data: Record<string, never>;
        };
        SetPhoneSecondFactorRequest: {
            /** @description together with `code` if the user has a second factor; or send `passkey` */
            password?: string;
            /** @description six digits, eight of a mail, or a recovery code; at most 64 characters */
            code?: string;
            /** @description the result of `navigator.credentials.get` for the options of `POST /auth/passkey/options`, as JSON */
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
            /** @description on or off */
            enabled: boolean;
        };
        SignBrowserInRequest: Record<string, never>;
        SlowDown: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "slow_down";
            /** @description for people */
            message: string;
        };
        StartConnectingAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description open it in a browser within ten minutes */
                url: string;
            };
        };
        StartConnectingRequest: {
            /** @description one of the addresses that the server allows, compared as text */
            returnTo: string;
            /** @description `S256` of a verifier (RFC 7636 §4.2); keep the verifier */
            codeChallenge: string;
            /** @description visible ASCII, handed back unchanged; at most 1,024 characters */
            state?: string;
            /** @description the user must have signed in at the provider within so many seconds; 0: signs in there now. A provider that cannot say so refuses */
            maxAge?: number;
            /** @description together with `code` if the user has a second factor; or send `passkey` */
            password?: string;
            /** @description six digits, eight of a mail, or a recovery code; at most 64 characters */
            code?: string;
            /** @description the result of `navigator.credentials.get` for the options of `POST /auth/passkey/options`, as JSON */
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
        StartProviderSignInAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description open it in a browser within ten minutes */
                url: string;
            };
        };
        StartProviderSignInRequest: {
            /** @description one of the addresses that the server allows, compared as text */
            returnTo: string;
            /** @description `S256` of a verifier (RFC 7636 §4.2); keep the verifier */
            codeChallenge: string;
            /** @description visible ASCII, handed back unchanged; at most 1,024 characters */
            state?: string;
            /** @description the user must have signed in at the provider within so many seconds; 0: signs in there now. A provider that cannot say so refuses */
            maxAge?: number;
        };
        Superseded: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "superseded";
            /** @description for people */
            message: string;
        };
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
                /** @description the method to ask for first */
                method: string;
                /** @description whether the server has sent a code */
                codeGenerated: boolean;
                /** @description such as `totp`, `passkey` and `recovery` */
                availableMethods: string[];
                /** @description if `passkey` is available: for `navigator.credentials.get` */
                passkeyOptions?: {
                    /** @description opaque; works once, within five minutes */
                    challenge: string;
                    /** @description the domain of the passkeys */
                    rpId: string;
                    /** @description milliseconds, 300,000 */
                    timeout: number;
                    /** @description absent: any passkey of this site */
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
                /** @description the method to ask for first */
                method: string;
                /** @description whether the server has sent a code */
                codeGenerated: boolean;
                /** @description such as `totp`, `passkey` and `recovery` */
                availableMethods: string[];
                /** @description if `passkey` is available: for `navigator.credentials.get` */
                passkeyOptions?: {
                    /** @description opaque; works once, within five minutes */
                    challenge: string;
                    /** @description the domain of the passkeys */
                    rpId: string;
                    /** @description milliseconds, 300,000 */
                    timeout: number;
                    /** @description absent: any passkey of this site */
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
                 * @description what was wrong; a session continues
                 * @enum {string}
                 */
                wrong: "password" | "passkey";
                /**
                 * @description the passkey does not exist: call `PublicKeyCredential.signalUnknownCredential`
                 * @enum {string}
                 */
                signal?: "unknown-credential";
            };
        };
        UndoEmailChangeAnswer: {
            /** @enum {string} */
            status: "success";
            data: Record<string, never>;
        };
        UndoEmailChangeRequest: {
            /** @description from the link */
            token: string;
            /** @description the new one; required of a user who has a password */
            password?: string;
        };
        UndoPhoneChangeAnswer: {
            /** @enum {string} */
            status: "success";
            data: Record<string, never>;
        };
        UndoPhoneChangeRequest: {
            /** @description from the link */
            token: string;
            /** @description the new one; required of a user who has a password */
            password?: string;
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
        UsernameTaken: {
            /** @enum {boolean} */
            success: false;
            /** @enum {string} */
            status: "error";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "username-taken";
            /** @description for people */
            message: string;
            details?: {
                /** @description the name at the provider */
                suggestion: string | null;
            };
        };
        VerifyEmailAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for `POST /auth/email/confirm`; keep it where the user types the code */
                requestId: string;
                /** @description seconds, 600 */
                expiresIn: number;
            };
        };
        VerifyPhoneAnswer: {
            /** @enum {string} */
            status: "success";
            data: {
                /** @description for `POST /auth/phone/confirm`; keep it where the user types the code */
                requestId: string;
                /** @description seconds, 600 */
                expiresIn: number;
            };
        };
    };
    responses: {
        /** @description This address is proven already. */
        AlreadyVerifiedLimited: {
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
                "application/json": components["schemas"]["AlreadyVerified"];
            };
        };
        /** @description This is not allowed. */
        AppForbiddenLimited: {
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
                "application/json": components["schemas"]["AppForbidden"];
            };
        };
        /** @description This is not allowed. */
        AppForbiddenLimitedOwn: {
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
                "application/json": components["schemas"]["AppForbidden"];
            };
        };
        /** @description This is not allowed. Set up a second factor first. Something must be done first. */
        AppForbiddenOrAppSecondFactorEnrolmentRequiredOrAppActionRequiredOpen: {
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
                "application/json": components["schemas"]["AppForbidden"] | components["schemas"]["AppSecondFactorEnrolmentRequired"] | components["schemas"]["AppActionRequired"];
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
        /** @description The request is not valid. The authorization code or token is not valid. The client may not use this grant type. The grant type is not known here. The scope is more than was granted, or is none. The resource is more than was granted, or is none. The user has not decided yet. Ask again. Ask less often. The user has said no. This took too long. Begin again. The user must do something first, on the pages of the authorization endpoint. */
        AppInvalidRequestOrAppInvalidGrantOrAppUnauthorizedClientOrAppUnsupportedGrantTypeOrAppInvalidScopeOrAppInvalidTargetOrAppAuthorizationPendingOrAppSlowDownOrAppAccessDeniedOrAppExpiredTokenOrAppInteractionRequiredLimitedOpen: {
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
                "application/json": components["schemas"]["AppInvalidRequest"] | components["schemas"]["AppInvalidGrant"] | components["schemas"]["AppUnauthorizedClient"] | components["schemas"]["AppUnsupportedGrantType"] | components["schemas"]["AppInvalidScope"] | components["schemas"]["AppInvalidTarget"] | components["schemas"]["AppAuthorizationPending"] | components["schemas"]["AppSlowDown"] | components["schemas"]["AppAccessDenied"] | components["schemas"]["AppExpiredToken"] | components["schemas"]["AppInteractionRequired"];
            };
        };
        /** @description The request is not valid. A redirect URI of the client is not accepted. The client cannot be registered as this. */
        AppInvalidRequestOrAppInvalidRedirectUriOrAppInvalidClientMetadataLimited: {
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
                "application/json": components["schemas"]["AppInvalidRequest"] | components["schemas"]["AppInvalidRedirectUri"] | components["schemas"]["AppInvalidClientMetadata"];
            };
        };
        /** @description The request is not valid. The client may not use this grant type. The scope is more than was granted, or is none. The resource is more than was granted, or is none. */
        AppInvalidRequestOrAppUnauthorizedClientOrAppInvalidScopeOrAppInvalidTargetLimitedOwn: {
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
                "application/json": components["schemas"]["AppInvalidRequest"] | components["schemas"]["AppUnauthorizedClient"] | components["schemas"]["AppInvalidScope"] | components["schemas"]["AppInvalidTarget"];
            };
        };
        /** @description The request body is too large. */
        AppPayloadTooLargeLimited: {
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
                "application/json": components["schemas"]["AppPayloadTooLarge"];
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
        AppTemporarilyUnavailableLimited: {
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
                "application/json": components["schemas"]["AppTemporarilyUnavailable"];
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
        AppTooManyRequestsLimited: {
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
                "application/json": components["schemas"]["AppTooManyRequests"];
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
        /** @description You could not be signed in. */
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
        AppUnsupportedMediaTypeLimited: {
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
                "application/json": components["schemas"]["AppUnsupportedMediaType"];
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
        /** @description This is not allowed. Something must be done first. */
        ForbiddenOrActionRequired: {
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
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["ActionRequired"];
            };
        };
        /** @description This is not allowed. Something must be done first. Sign in again to do this. */
        ForbiddenOrActionRequiredOrReauthenticationRequiredLimited: {
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
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["ActionRequired"] | components["schemas"]["ReauthenticationRequired"];
            };
        };
        /** @description This is not allowed. Something must be done first. Sign in again to do this. This password must be changed first. */
        ForbiddenOrActionRequiredOrReauthenticationRequiredOrPasswordExpiredLimited: {
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
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["ActionRequired"] | components["schemas"]["ReauthenticationRequired"] | components["schemas"]["PasswordExpired"];
            };
        };
        /** @description This is not allowed. This password must be changed first. */
        ForbiddenOrPasswordExpiredLimited: {
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
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["PasswordExpired"];
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
        /** @description This is not allowed. New accounts need an invitation. */
        ForbiddenOrRegistrationClosedLimited: {
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
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["RegistrationClosed"];
            };
        };
        /** @description This is not allowed. Set up a second factor first. Something must be done first. */
        ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired: {
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
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["SecondFactorEnrolmentRequired"] | components["schemas"]["ActionRequired"];
            };
        };
        /** @description This is not allowed. Set up a second factor first. Something must be done first. */
        ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredLimited: {
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
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["SecondFactorEnrolmentRequired"] | components["schemas"]["ActionRequired"];
            };
        };
        /** @description This is not allowed. Set up a second factor first. Something must be done first. This password is changed somewhere else. Sign in again to do this. This password must be changed first. */
        ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrPasswordElsewhereOrReauthenticationRequiredOrPasswordExpiredLimited: {
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
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["SecondFactorEnrolmentRequired"] | components["schemas"]["ActionRequired"] | components["schemas"]["PasswordElsewhere"] | components["schemas"]["ReauthenticationRequired"] | components["schemas"]["PasswordExpired"];
            };
        };
        /** @description This is not allowed. Set up a second factor first. Something must be done first. This password must be changed first. */
        ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrPasswordExpiredLimited: {
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
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["SecondFactorEnrolmentRequired"] | components["schemas"]["ActionRequired"] | components["schemas"]["PasswordExpired"];
            };
        };
        /** @description This is not allowed. Set up a second factor first. Something must be done first. Sign in again to do this. */
        ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequired: {
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
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["SecondFactorEnrolmentRequired"] | components["schemas"]["ActionRequired"] | components["schemas"]["ReauthenticationRequired"];
            };
        };
        /** @description This is not allowed. Set up a second factor first. Something must be done first. Sign in again to do this. */
        ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequiredLimited: {
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
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["SecondFactorEnrolmentRequired"] | components["schemas"]["ActionRequired"] | components["schemas"]["ReauthenticationRequired"];
            };
        };
        /** @description This is not allowed. Set up a second factor first. Something must be done first. Sign in again to do this. */
        ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequiredLimitedOwn: {
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
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["SecondFactorEnrolmentRequired"] | components["schemas"]["ActionRequired"] | components["schemas"]["ReauthenticationRequired"];
            };
        };
        /** @description This is not allowed. Set up a second factor first. Something must be done first. Sign in again to do this. This password must be changed first. */
        ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequiredOrPasswordExpiredLimited: {
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
                "application/json": components["schemas"]["Forbidden"] | components["schemas"]["SecondFactorEnrolmentRequired"] | components["schemas"]["ActionRequired"] | components["schemas"]["ReauthenticationRequired"] | components["schemas"]["PasswordExpired"];
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
        /** @description Another user here is connected with this account. */
        IdentityInUseLimited: {
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
                "application/json": components["schemas"]["IdentityInUse"];
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
        /** @description The request is not valid. The authorization code or token is not valid. The user has not decided yet. Ask again. Type the code into the other device. The device may collect its session. Ask less often. The user has said no. This took too long. Begin again. */
        InvalidRequestOrInvalidGrantOrAuthorizationPendingOrOpenedOrApprovedOrSlowDownOrAccessDeniedOrExpiredTokenLimited: {
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
                "application/json": components["schemas"]["InvalidRequest"] | components["schemas"]["InvalidGrant"] | components["schemas"]["AuthorizationPending"] | components["schemas"]["Opened"] | components["schemas"]["Approved"] | components["schemas"]["SlowDown"] | components["schemas"]["AccessDenied"] | components["schemas"]["ExpiredToken"];
            };
        };
        /** @description The request is not valid. This password is too easy to guess, or too short. */
        InvalidRequestOrPasswordRefusedLimited: {
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
                "application/json": components["schemas"]["InvalidRequest"] | components["schemas"]["PasswordRefused"];
            };
        };
        /** @description The request is not valid. The code or link is not valid. */
        InvalidRequestOrProofRefused: {
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
                "application/json": components["schemas"]["InvalidRequest"] | components["schemas"]["ProofRefused"];
            };
        };
        /** @description The request is not valid. The code or link is not valid. */
        InvalidRequestOrProofRefusedLimited: {
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
                "application/json": components["schemas"]["InvalidRequest"] | components["schemas"]["ProofRefused"];
            };
        };
        /** @description The request is not valid. The code or link is not valid. This password is too easy to guess, or too short. */
        InvalidRequestOrProofRefusedOrPasswordRefusedLimited: {
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
                "application/json": components["schemas"]["InvalidRequest"] | components["schemas"]["ProofRefused"] | components["schemas"]["PasswordRefused"];
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
        /** @description Without it there would be no way to sign in. Add another one first. */
        LastSignInMethodLimited: {
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
        /** @description There is no such session. */
        NotFoundLimited: {
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
        /** @description This password is changed somewhere else. */
        PasswordElsewhereLimited: {
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
                "application/json": components["schemas"]["PasswordElsewhere"];
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
        /** @description The code or link is not valid. */
        ProofRefusedLimited: {
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
                "application/json": components["schemas"]["ProofRefused"];
            };
        };
        /** @description New accounts need an invitation. This is not allowed. */
        RegistrationClosedOrForbiddenLimited: {
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
                "application/json": components["schemas"]["RegistrationClosed"] | components["schemas"]["Forbidden"];
            };
        };
        /** @description Set up a second factor first. Something must be done first. */
        SecondFactorEnrolmentRequiredOrActionRequiredLimited: {
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
                "application/json": components["schemas"]["SecondFactorEnrolmentRequired"] | components["schemas"]["ActionRequired"];
            };
        };
        /** @description It was changed meanwhile. Look at it again. */
        Superseded: {
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
                "application/json": components["schemas"]["Superseded"];
            };
        };
        /** @description It was changed meanwhile. Look at it again. */
        SupersededLimited: {
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
                "application/json": components["schemas"]["Superseded"];
            };
        };
        /** @description It was changed meanwhile. Look at it again. Another user has this number. */
        SupersededOrPhoneInUseLimited: {
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
                "application/json": components["schemas"]["Superseded"] | components["schemas"]["PhoneInUse"];
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
        TemporarilyUnavailableOpen: {
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
        /** @description You could not be signed in. */
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
        /** @description You could not be signed in. */
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
        /** @description You could not be signed in. The second-factor code is not valid. */
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
        /** @description You could not be signed in. A second-factor code is required. */
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
        /** @description You could not be signed in. A second-factor code is required. */
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
        /** @description You could not be signed in. A second-factor code is required. The second-factor code is not valid. */
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
        /** @description You could not be signed in. A second-factor code is required. The second-factor code is not valid. You could not be signed in with this account. */
        UnauthorizedOrTotpRequiredOrTotpInvalidOrProviderRefusedLimited: {
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
                "application/json": components["schemas"]["Unauthorized"] | components["schemas"]["TotpRequired"] | components["schemas"]["TotpInvalid"] | components["schemas"]["ProviderRefused"];
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
        /** @description Somebody has this user name already. */
        UsernameTakenLimited: {
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
                "application/json": components["schemas"]["UsernameTaken"];
            };
        };
        /** @description Somebody has this user name already. Another user here is connected with this account. */
        UsernameTakenOrIdentityInUseLimited: {
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
                "application/json": components["schemas"]["UsernameTaken"] | components["schemas"]["IdentityInUse"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description No cache may store the answer. */
        NoStore: "no-store";
        /** @description How long caches may store it. */
        Kept: string;
        /** @description Browsers must not guess the type. */
        NoSniff: "nosniff";
        /** @description Browsers must not run or show the answer. */
        NothingRuns: string;
        /** @description The id of the request in the server's log. */
        RequestId: string;
        /** @description The scheme for credentials (RFC 6750 §3). */
        Challenge: string;
        /** @description What the token lacks, or the scheme that an app has used (RFC 6749 §5.2). */
        MayChallenge: string;
        /** @description Seconds to wait before the next attempt. */
        RetryAfter: number;
        /** @description Allowed requests. */
        Limit: number;
        /** @description Remaining requests. */
        Remaining: number;
        /** @description Seconds until the limit resets. */
        Reset: number;
        /** @description For pages of other origins that the server allows. */
        Origin: string;
        /** @description Pages of every origin may call it. */
        EveryOrigin: "*";
        /** @description The headers that such a page may read. */
        Exposed: string;
        /** @description Request headers that change the answer. */
        Vary: string;
        /** @description The next address of the browser. */
        Location: string;
        /** @description A new or deleted cookie. */
        "Set-Cookie": string;
        /** @description The language of the page. */
        Language: string;
        /** @description Features of the device that the page may use. */
        Permissions: string;
        /** @description No page may frame this page. */
        NoFrame: string;
        /** @description The referrer that links from the page send. */
        Referrer: string;
        /** @description No other site may load the page. */
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
                /** @description the same as `code`; if both are sent, the body wins */
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
            403: components["responses"]["ForbiddenOrPasswordExpiredLimited"];
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequiredLimited"];
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
    askForSignInCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AskForSignInCodeRequest"];
            };
        };
        responses: {
            /** @description Accepted. */
            202: {
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
                    "application/json": components["schemas"]["AskForSignInCodeAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    logInByCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LogInByCodeRequest"];
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
                    "application/json": components["schemas"]["LogInByCodeAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrProofRefusedLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrReauthenticationRequiredLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
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
            /** @description The session has ended. */
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
            /** @description The session has ended. */
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
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
            /** @description The sessions have ended. */
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the `id` of the session in the list */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
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
            403: components["responses"]["SecondFactorEnrolmentRequiredOrActionRequiredLimited"];
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequiredLimited"];
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
            /** @description The tokens have ended. */
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    endNamedToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the `id` of the token in the list */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token has ended. */
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
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
            /** @description The state. */
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
            403: components["responses"]["ForbiddenOrActionRequired"];
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
            403: components["responses"]["ForbiddenOrActionRequiredOrReauthenticationRequiredOrPasswordExpiredLimited"];
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
            /** @description The factor is active. */
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
            403: components["responses"]["ForbiddenOrActionRequiredOrReauthenticationRequiredLimited"];
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
            /** @description The factor is deactivated. */
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrPasswordExpiredLimited"];
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
            /** @description The new codes. */
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrPasswordExpiredLimited"];
            409: components["responses"]["TotpNotEnabledLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    listRememberedBrowsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browsers, the newest first. */
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
                    "application/json": components["schemas"]["ListRememberedBrowsersAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    forgetRememberedBrowser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description from the list */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is forgotten. */
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
                    "application/json": components["schemas"]["ForgetRememberedBrowserAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
            404: components["responses"]["NotFound"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    listDocumentsToAccept: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The documents. */
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
                    "application/json": components["schemas"]["ListDocumentsToAcceptAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    acceptDocuments: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptDocumentsRequest"];
            };
        };
        responses: {
            /** @description They are stored. */
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
                    "application/json": components["schemas"]["AcceptDocumentsAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
            409: components["responses"]["Superseded"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            503: components["responses"]["TemporarilyUnavailable"];
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
            /** @description The passkeys. */
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
            403: components["responses"]["ForbiddenOrActionRequired"];
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
            /** @description The passkey is added. */
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
            403: components["responses"]["ForbiddenOrActionRequired"];
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
            403: components["responses"]["ForbiddenOrActionRequiredOrReauthenticationRequiredOrPasswordExpiredLimited"];
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
                /** @description the `id` of the passkey in the list */
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
            /** @description The passkey is renamed. */
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
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
                /** @description the `id` of the passkey in the list */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The passkey is removed. */
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequired"];
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
            /** @description Reauthenticated. */
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
            403: components["responses"]["ForbiddenOrPasswordExpiredLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    forgotPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForgotPasswordRequest"];
            };
        };
        responses: {
            /** @description Accepted. */
            202: {
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
                    "application/json": components["schemas"]["ForgotPasswordAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetPasswordRequest"];
            };
        };
        responses: {
            /** @description The new password works. */
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
                    "application/json": components["schemas"]["ResetPasswordAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrProofRefusedOrPasswordRefusedLimited"];
            403: components["responses"]["PasswordElsewhereLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePasswordRequest"];
            };
        };
        responses: {
            /** @description Changed. */
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
                    "application/json": components["schemas"]["ChangePasswordAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrPasswordRefusedLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrPasswordElsewhereOrReauthenticationRequiredOrPasswordExpiredLimited"];
            409: components["responses"]["SupersededLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    getEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address. */
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
                    "application/json": components["schemas"]["GetEmailAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    verifyEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The code is on its way. */
            202: {
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
                    "application/json": components["schemas"]["VerifyEmailAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredLimited"];
            409: components["responses"]["AlreadyVerifiedLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    changeEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeEmailRequest"];
            };
        };
        responses: {
            /** @description The code is on its way. */
            202: {
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
                    "application/json": components["schemas"]["ChangeEmailAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequiredOrPasswordExpiredLimited"];
            409: components["responses"]["AlreadyVerifiedLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    confirmEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmEmailRequest"];
            };
        };
        responses: {
            /** @description The address is proven. */
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
                    "application/json": components["schemas"]["ConfirmEmailAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrProofRefusedLimited"];
            401: components["responses"]["UnauthorizedLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredLimited"];
            409: components["responses"]["SupersededLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    undoEmailChange: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoEmailChangeRequest"];
            };
        };
        responses: {
            /** @description The former address is back. */
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
                    "application/json": components["schemas"]["UndoEmailChangeAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrProofRefusedOrPasswordRefusedLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    setEmailSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetEmailSecondFactorRequest"];
            };
        };
        responses: {
            /** @description Switched. */
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
                    "application/json": components["schemas"]["SetEmailSecondFactorAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrActionRequiredOrReauthenticationRequiredOrPasswordExpiredLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    getPhone: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number. */
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
                    "application/json": components["schemas"]["GetPhoneAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    verifyPhone: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The code is on its way. */
            202: {
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
                    "application/json": components["schemas"]["VerifyPhoneAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredLimited"];
            409: components["responses"]["AlreadyVerifiedLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    changePhone: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePhoneRequest"];
            };
        };
        responses: {
            /** @description The code is on its way. */
            202: {
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
                    "application/json": components["schemas"]["ChangePhoneAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequiredOrPasswordExpiredLimited"];
            409: components["responses"]["AlreadyVerifiedLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    confirmPhone: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmPhoneRequest"];
            };
        };
        responses: {
            /** @description The number is proven. */
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
                    "application/json": components["schemas"]["ConfirmPhoneAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrProofRefusedLimited"];
            401: components["responses"]["UnauthorizedLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredLimited"];
            409: components["responses"]["SupersededOrPhoneInUseLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    undoPhoneChange: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoPhoneChangeRequest"];
            };
        };
        responses: {
            /** @description The former number is back. */
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
                    "application/json": components["schemas"]["UndoPhoneChangeAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrProofRefusedOrPasswordRefusedLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    setPhoneSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetPhoneSecondFactorRequest"];
            };
        };
        responses: {
            /** @description Switched. */
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
                    "application/json": components["schemas"]["SetPhoneSecondFactorAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrActionRequiredOrReauthenticationRequiredOrPasswordExpiredLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    getRegistration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules. */
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
                    "application/json": components["schemas"]["GetRegistrationAnswer"];
                };
            };
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterRequest"];
            };
        };
        responses: {
            /** @description Accepted. */
            202: {
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
                    "application/json": components["schemas"]["RegisterAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrProofRefusedLimited"];
            403: components["responses"]["RegistrationClosedOrForbiddenLimited"];
            409: components["responses"]["UsernameTakenLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    confirmRegistration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmRegistrationRequest"];
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
                    "application/json": components["schemas"]["ConfirmRegistrationAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrProofRefusedOrPasswordRefusedLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredLimited"];
            403: components["responses"]["ForbiddenOrRegistrationClosedLimited"];
            409: components["responses"]["UsernameTakenLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description from the link */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation. */
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
                    "application/json": components["schemas"]["GetInvitationAnswer"];
                };
            };
            400: components["responses"]["ProofRefusedLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteAccountRequest"];
            };
        };
        responses: {
            /** @description There was no address to mail to: the account is deleted. */
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
                    "application/json": components["schemas"]["DeleteAccountAnswer"];
                };
            };
            /** @description The code is on its way. */
            202: {
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
                    "application/json": components["schemas"]["DeleteAccountAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequiredOrPasswordExpiredLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    confirmAccountDeletion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmAccountDeletionRequest"];
            };
        };
        responses: {
            /** @description The account is deleted. */
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
                    "application/json": components["schemas"]["ConfirmAccountDeletionAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrProofRefusedLimited"];
            401: components["responses"]["UnauthorizedLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    listProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The providers. */
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
                    "application/json": components["schemas"]["ListProvidersAnswer"];
                };
            };
        };
    };
    startProviderSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the provider */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartProviderSignInRequest"];
            };
        };
        responses: {
            /** @description The address. */
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
                    "application/json": components["schemas"]["StartProviderSignInAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
        };
    };
    finishProviderSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FinishProviderSignInRequest"];
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
                    "application/json": components["schemas"]["FinishProviderSignInAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrProofRefusedLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidOrProviderRefusedLimited"];
            403: components["responses"]["ForbiddenLimited"];
            409: components["responses"]["UsernameTakenOrIdentityInUseLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    endProviderSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the provider */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["EndProviderSessionsRequest"];
                "application/json": components["schemas"]["EndProviderSessionsRequest"];
            };
        };
        responses: {
            /** @description Ended. */
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
                content?: never;
            };
            400: components["responses"]["InvalidRequestOrProofRefusedLimited"];
            404: components["responses"]["NotFoundLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    listIdentities: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The accounts. */
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
                    "application/json": components["schemas"]["ListIdentitiesAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    connectIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectIdentityRequest"];
            };
        };
        responses: {
            /** @description Connected. */
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
                    "application/json": components["schemas"]["ConnectIdentityAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrProofRefusedLimited"];
            401: components["responses"]["UnauthorizedLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredLimited"];
            409: components["responses"]["IdentityInUseLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    startConnecting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id of the provider */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartConnectingRequest"];
            };
        };
        responses: {
            /** @description The address. */
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
                    "application/json": components["schemas"]["StartConnectingAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequiredOrPasswordExpiredLimited"];
            404: components["responses"]["NotFoundLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    disconnectIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the `id` of the account in the list */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisconnectIdentityRequest"];
            };
        };
        responses: {
            /** @description Disconnected. */
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
                    "application/json": components["schemas"]["DisconnectIdentityAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequiredOrPasswordExpiredLimited"];
            404: components["responses"]["NotFoundLimited"];
            409: components["responses"]["LastSignInMethodLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    beginDeviceLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BeginDeviceLinkRequest"];
            };
        };
        responses: {
            /** @description Show `qr` as a QR code. */
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
                    "application/json": components["schemas"]["BeginDeviceLinkAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    openDeviceLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenDeviceLinkRequest"];
            };
        };
        responses: {
            /** @description Show all of it, and ask for the check code. */
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
                    "application/json": components["schemas"]["OpenDeviceLinkAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrProofRefusedLimited"];
            401: components["responses"]["UnauthorizedLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequiredLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    approveDeviceLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApproveDeviceLinkRequest"];
            };
        };
        responses: {
            /** @description Done. */
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
                    "application/json": components["schemas"]["ApproveDeviceLinkAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrProofRefusedLimited"];
            401: components["responses"]["UnauthorizedOrTotpRequiredOrTotpInvalidLimited"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequiredOrPasswordExpiredLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    denyDeviceLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DenyDeviceLinkRequest"];
            };
        };
        responses: {
            /** @description Done. */
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
                    "application/json": components["schemas"]["DenyDeviceLinkAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrProofRefused"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    collectDeviceLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CollectDeviceLinkRequest"];
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
                    "application/json": components["schemas"]["CollectDeviceLinkAnswer"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidGrantOrAuthorizationPendingOrOpenedOrApprovedOrSlowDownOrAccessDeniedOrExpiredTokenLimited"];
            413: components["responses"]["PayloadTooLargeLimited"];
            415: components["responses"]["UnsupportedMediaTypeLimited"];
            429: components["responses"]["TooManyRequestsLimited"];
            503: components["responses"]["TemporarilyUnavailableLimited"];
        };
    };
    authorize: {
        parameters: {
            query: {
                /** @description the id of the app */
                client_id: string;
                response_type: "code";
                /** @description exactly one of the app's; the port may differ for a native app on a loopback address */
                redirect_uri: string;
                /** @description requested scopes, separated by blanks; default: its `defaultScopes` */
                scope?: string;
                /** @description 43 characters base64url (RFC 7636 §4.2); an app with `allowNonceInsteadOfPkce` may send a `nonce` instead */
                code_challenge: string;
                code_challenge_method: "S256";
                /** @description returned unchanged; at most 2048 characters */
                state?: string;
                /** @description copied into the ID token; at most 512 characters */
                nonce?: string;
                /** @description `none`, `login`, `consent`, `select_account`; with `none`, an error is returned instead of a page */
                prompt?: string;
                /** @description maximum age of the sign-in, in seconds */
                max_age?: string;
                /** @description an ID token of this app: the user who should sign in */
                id_token_hint?: string;
                /** @description required assurance: `urn:mar:2fa` for a second factor */
                acr_values?: string;
                /** @description the API that tokens are for (RFC 8707); may be repeated */
                resource?: string[];
                /** @description default `query`; with `form_post` the browser posts the answer to a redirect URI of http(s) */
                response_mode?: "query" | "form_post";
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
            /** @description A page: the app is unknown, or the redirect URI is not its own. The browser stays here. */
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
            /** @description A page: too many requests for unknown apps. */
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
            /** @description A page: a part of the server fails. */
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
            /** @description Redirect to the `GET`. */
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
            /** @description A page: the app is unknown, or the redirect URI is not its own. The browser stays here. */
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
            /** @description A page: the body is not a form. */
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
    logoutByApp: {
        parameters: {
            query?: {
                /** @description the last ID token of this user for this app, expired or not; with it, a user who is signed in by the same session is not asked */
                id_token_hint?: string;
                /** @description the id of the app; not needed with `id_token_hint` */
                client_id?: string;
                /** @description where the browser returns to: exactly one of the app's `postLogoutRedirectUris`; the port may differ for a native app on a loopback address */
                post_logout_redirect_uri?: string;
                /** @description returned unchanged; at most 2048 characters */
                state?: string;
                /** @description ignored */
                logout_hint?: string;
                /** @description languages of the page, separated by blanks */
                ui_locales?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Back to the app, or to the page that asks. */
            303: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["NothingRuns"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    Location: components["headers"]["Location"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
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
            /** @description A page: too many requests for unknown apps. */
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
            /** @description A page: a part of the server fails. */
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
    logoutByAppForm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["LogoutByAppFormRequest"];
            };
        };
        responses: {
            /** @description Redirect to the `GET`. */
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
            /** @description A page: the form cannot be read. */
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
            /** @description A page: the body is not a form. */
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
            400: components["responses"]["AppInvalidRequestOrAppInvalidGrantOrAppUnauthorizedClientOrAppUnsupportedGrantTypeOrAppInvalidScopeOrAppInvalidTargetOrAppAuthorizationPendingOrAppSlowDownOrAppAccessDeniedOrAppExpiredTokenOrAppInteractionRequiredLimitedOpen"];
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
            /** @description The token is not valid any more. */
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
            /** @description The state of the token. */
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
    authorizeDevice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["AuthorizeDeviceRequest"];
                "application/json": components["schemas"]["AuthorizeDeviceRequest"];
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
                    "RateLimit-Limit": components["headers"]["Limit"];
                    "RateLimit-Remaining": components["headers"]["Remaining"];
                    "RateLimit-Reset": components["headers"]["Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthorizeDeviceAnswer"];
                };
            };
            400: components["responses"]["AppInvalidRequestOrAppUnauthorizedClientOrAppInvalidScopeOrAppInvalidTargetLimitedOwn"];
            401: components["responses"]["AppInvalidClientLimitedOwn"];
            403: components["responses"]["AppForbiddenLimitedOwn"];
            413: components["responses"]["AppPayloadTooLargeLimitedOwn"];
            415: components["responses"]["AppUnsupportedMediaTypeLimitedOwn"];
            429: components["responses"]["AppTooManyRequestsLimitedOwn"];
            503: components["responses"]["AppTemporarilyUnavailableLimitedOwn"];
        };
    };
    registerClient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterClientRequest"];
            };
        };
        responses: {
            /** @description The app. */
            201: {
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
                    "application/json": components["schemas"]["RegisterClientAnswer"];
                };
            };
            400: components["responses"]["AppInvalidRequestOrAppInvalidRedirectUriOrAppInvalidClientMetadataLimited"];
            403: components["responses"]["AppForbiddenLimited"];
            413: components["responses"]["AppPayloadTooLargeLimited"];
            415: components["responses"]["AppUnsupportedMediaTypeLimited"];
            429: components["responses"]["AppTooManyRequestsLimited"];
            503: components["responses"]["AppTemporarilyUnavailableLimited"];
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
            403: components["responses"]["AppForbiddenOrAppSecondFactorEnrolmentRequiredOrAppActionRequiredOpen"];
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
            403: components["responses"]["AppForbiddenOrAppSecondFactorEnrolmentRequiredOrAppActionRequiredOpen"];
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequiredOrReauthenticationRequiredLimitedOwn"];
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    revokeConsent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the `clientId` of the app in the list */
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The consent is revoked. */
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
            403: components["responses"]["ForbiddenOrSecondFactorEnrolmentRequiredOrActionRequired"];
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
                    "Access-Control-Allow-Origin": components["headers"]["EveryOrigin"];
                    "Access-Control-Expose-Headers": components["headers"]["Exposed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetKeysAnswer"];
                };
            };
            503: components["responses"]["TemporarilyUnavailableOpen"];
        };
    };
}
