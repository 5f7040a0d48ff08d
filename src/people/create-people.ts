import { randomBytes } from 'node:crypto';
import { Router, type RequestHandler } from 'express';
import type { Knex } from 'knex';
import { outsideCaller } from '../access/caller.ts';
import { letIn } from '../api/call-rights.ts';
import { serveRoutes } from '../api/serve-routes.ts';
import type { Handlers } from '../api/route.ts';
import { answerStoreFaults } from '../api/store-faults.ts';
import { createSecretBox, type SecretBox } from '../base/secret-box.ts';
import type { AdminToken, TokenSecret } from '../config/settings.ts';
import { notFound } from '../http/problems/error-handler.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';
import type { LogFields } from '../observability/log.ts';
import type { SendMail } from '../mail/send-mail.ts';
import { accountRoutes } from './accounts/account-routes.ts';
import { createCheckOwner } from './accounts/check-owner.ts';
import { createKnownDevices } from './accounts/known-devices.ts';
import { createLinkMails, linkAddress } from './accounts/link-mails.ts';
import { createLinkStore } from './accounts/link-store.ts';
import { createPasswords } from './accounts/password.ts';
import { personRoutes } from './accounts/person-routes.ts';
import { createPersonStore } from './accounts/person-store.ts';
import { signInRoutes, type SigningIn } from './accounts/sign-in-routes.ts';
import { createSignIn } from './accounts/sign-in.ts';
import { createAdminGate, type AdminRefusal } from './admin-gate.ts';
import { createCodeStore } from './factors/code-store.ts';
import { factorRoutes, passkeyRoutes } from './factors/factor-routes.ts';
import { createPasskeyStore } from './factors/passkey-store.ts';
import { createPasskeys } from './factors/passkeys.ts';
import { createIdentityStore } from './oidc/identity-store.ts';
import { createProviderLogout, endAtProvider } from './oidc/provider-logout.ts';
import { createProvider } from './oidc/provider.ts';
import { providerRoutes } from './oidc/provider-routes.ts';
import type { ProviderSettings } from './oidc/read-providers.ts';
import { createPageCheck } from './page-check.ts';
import { tokenRoutes } from './token-routes.ts';
import { AUTH_API, type PEOPLE_API } from './people-api.ts';
import type { Presence } from './presence/presence.ts';
import { presenceRoutes } from './presence/presence-routes.ts';
import { createIsBeyond } from './roles/is-beyond.ts';
import { roleRoutes } from './roles/role-routes.ts';
import { createRoleStore } from './roles/role-store.ts';
import { createSessionStore } from './sessions/session-store.ts';
import { createSpentStore } from './spent-store.ts';
import { createTokenStore } from './token-store.ts';

export interface PeopleOptions extends Omit<SigningIn, 'signIn'> {
  readonly knex: Knex;
  readonly adminTokens: readonly AdminToken[];
  readonly tokenSecrets: readonly TokenSecret[];
  /** Public addresses of the service; '' when unknown. */
  readonly publicUrl: string;
  readonly toolUrl: string;
  /** Seals what the database keeps for long. */
  readonly sealBox: SecretBox;
  /** Whether the tool needs a sign-in although there is neither a token nor an account. */
  readonly alwaysRequired: boolean;
  readonly providers: readonly ProviderSettings[];
  /** Whether agents of buyers may buy: their screen is in the navigation. */
  readonly sellsToAgents: boolean;
  readonly sessionIdleMs: number;
  readonly presence: Presence;
  readonly sendMail: SendMail | undefined;
  readonly onRefused: (reason: AdminRefusal, network: string) => void;
  readonly onMailFailed: (fault: Error) => void;
  readonly onProviderFailed: (fault: Error, fields: LogFields) => void;
  readonly onFailure: (fault: Error, fields?: LogFields) => void;
}

export interface People {
  /** Guards the trafficking API. */
  readonly gate: RequestHandler;
  /** Everything under /auth. */
  readonly auth: RequestHandler;
  readonly handlers: Handlers<typeof PEOPLE_API>;
  /**
   * Prints the link that makes the first administrator, where there is no account yet. Of several
   * replicas that start together, one prints it. It holds for an hour; a later start prints another one.
   * It is written to the output and not to the log, which others may read. Rejects when Postgres is unavailable.
   *
   * @param print writes to the output of the process
   */
  offerFirst(print: (text: string) => void): Promise<void>;
}

/** Who may use the trafficking tool, and how they are let in. */
export const createPeople = (options: PeopleOptions): People => {
  const { knex, adminTokens, hasAccounts, alwaysRequired, attempts, sendMail, originOf, onRefused, onFailure } = options;
  const { sessionIdleMs: idleMs, sessionLifetimeMs: lifetimeMs } = options;
  const people = createPersonStore({ knex });
  const sessions = createSessionStore({ knex, idleMs, lifetimeMs });
  const tokens = createTokenStore({ knex });
  const links = createLinkStore({ knex });
  const passwords = createPasswords();
  const addressOf = linkAddress(options.toolUrl);
  const mails = sendMail && hasAccounts ? createLinkMails({ knex, links, sendMail, addressOf }) : undefined;
  const devices = createKnownDevices(options.tokenSecrets);
  const codes = createCodeStore({ knex, secretBox: options.sealBox, now: Date.now });
  const signIn = createSignIn({ knex, sessions, passwords, attempts, devices, useCode: codes.use });
  const pages = createPageCheck([options.publicUrl, options.toolUrl]);
  let hasPeople = false;
  /** In development everyone may use the tool, until there is an account. */
  const isRequired = async (): Promise<boolean> => {
    if (alwaysRequired || adminTokens.length > 0) return true;
    hasPeople ||= !(await people.isEmpty());
    return hasPeople;
  };
  const providers = options.providers.map((settings) => createProvider({ settings, toolUrl: options.toolUrl }));
  const secretBox = createSecretBox(options.tokenSecrets);
  const identities = createIdentityStore({ knex });
  const spent = createSpentStore({ knex });
  const passkeyStore = createPasskeyStore({ knex });
  const passkeys = createPasskeys({ store: passkeyStore, spent, secretBox, toolUrl: options.toolUrl, now: Date.now });
  const stores = { people, sessions, links, identities, spent, passkeyStore, codes };
  const shared = {
    ...options,
    ...stores,
    ...{ passwords, mails, addressOf, signIn, secretBox, passkeys },
    checkOwner: createCheckOwner({ knex, passwords, attempts }),
    signOutByToken: createProviderLogout({ providers, sessions, identities, spent }),
    isBeyond: createIsBeyond(knex),
    random: randomWord,
  };

  const auth = Router();
  auth.use((req, res, next) => {
    res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    if (req.method === 'GET' || !pages.isFromElsewhere(req)) {
      letIn(res, outsideCaller('visitor'));
      return next();
    }
    onRefused('another_site', originOf(req).network);
    sendProblem(res, problem('forbidden', 'Only pages of this service may sign people in.'));
  });
  const signInHandlers = signInRoutes({
    ...{ ...shared, isRequired, needsCode: async (personId) => (await codes.left(personId)) !== undefined },
    providers: providers.map(({ settings: { id, name } }) => ({ id, name })),
    endAtProvider: endAtProvider({ providers, sessions, secretBox, returnTo: `${options.toolUrl}/static/sign-in.html` }),
  });
  const handlers = { ...signInHandlers, ...providerRoutes({ ...shared, providers }), ...passkeyRoutes(shared) };
  auth.use(serveRoutes(AUTH_API, handlers, undefined, '/auth'));
  auth.use(notFound);
  auth.use(answerStoreFaults(onFailure));

  return {
    gate: createAdminGate({
      ...{ tokens: adminTokens, pages, attempts, onRefused },
      useToken: tokens.use,
      useSession: sessions.use,
      isOpen: async () => !(await isRequired()),
      originOf,
    }),
    auth,
    handlers: {
      ...roleRoutes(createRoleStore({ knex })),
      ...tokenRoutes(tokens),
      ...personRoutes(shared),
      ...accountRoutes(shared),
      ...factorRoutes(shared),
      ...presenceRoutes(knex, options.presence),
    },
    offerFirst: async (print) => {
      const link = hasAccounts ? await links.issueFirst() : undefined;
      if (!link) return;
      print(
        `There is no account yet. This link makes the first administrator, once, until ${link.expiresAt.toUTCString()}:\n  ${addressOf(link)}\n`,
      );
    },
  };
};

const randomWord = (): string => randomBytes(32).toString('base64url');
