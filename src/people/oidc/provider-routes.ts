import { answer, GONE, refuse, refuseWith, type Answered, type Call, type Handlers, type Refused } from '../../api/route.ts';
import { asError } from '../../base/narrow.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { readBody } from '../../http/request/read-body.ts';
import { sessionCookies, type SigningIn } from '../accounts/sign-in-routes.ts';
import type { SignInOutcome } from '../accounts/sign-in.ts';
import { ATTEMPTS } from '../attempts.ts';
import { clearCookie, cookieOf, setCookie } from '../sessions/session-cookie.ts';
import type { SpentStore } from '../spent-store.ts';
import { createBegunSignIns, placeOnPage, SIGN_IN_TIME_MS } from './begun-sign-in.ts';
import { rightsOfGroups } from './group-rights.ts';
import type { IdentityStore } from './identity-store.ts';
import type { PROVIDER_API } from './provider-api.ts';
import { faultOf } from './provider-fault.ts';
import { ID_TOKEN_PURPOSE, providerSession, type createProviderLogout } from './provider-logout.ts';
import type { Identity, Provider } from './provider.ts';
import { CALLBACK, callbackOf } from './read-providers.ts';
import { SIGN_IN_PROBLEMS, type SignInProblem } from './sign-in-problem.ts';

export interface ProviderRoutesOptions extends SigningIn {
  readonly providers: readonly Provider[];
  readonly identities: IdentityStore;
  readonly spent: SpentStore;
  readonly secretBox: SecretBox;
  readonly signOutByToken: ReturnType<typeof createProviderLogout>;
  readonly onProviderFailed: (fault: Error, fields: { readonly provider: string }) => void;
  readonly onFailure: (fault: Error) => void;
  /** Bits that nobody can guess, for a value that is used once. */
  readonly random: () => string;
}

const SIGN_IN_PAGE = '/static/sign-in.html';
const TOOL_PAGE = '/static/admin.html';
const MAX_LOGOUT_BYTES = 16 * 1024;

const OUTCOMES: Readonly<Partial<Record<SignInProblem, SignInOutcome>>> = {
  ...{ provider_unavailable: 'unavailable', unavailable: 'unavailable', too_many: 'too_many' },
  ...{ no_role: 'refused', disabled: 'refused', no_email: 'refused', email_unverified: 'refused', email_taken: 'refused' },
};

/** Signing in at providers. */
export const providerRoutes = (options: ProviderRoutesOptions): Handlers<typeof PROVIDER_API> => {
  const { providers, hasAccounts, identities, signIn, spent, attempts, secretBox, signOutByToken } = options;
  const begunSignIns = createBegunSignIns(secretBox, Date.now);
  const { sessionLifetimeMs, originOf, onSignIn, onProviderFailed, onFailure, random } = options;

  const begin: Handlers<typeof PROVIDER_API>['beginSignIn'] = async (_asked, call) => {
    const wanted = call.search.get('provider') ?? '';
    const provider =
      wanted === '' && !hasAccounts && providers.length === 1 ? providers[0] : providers.find(({ settings }) => settings.id === wanted);
    if (!provider) return wanted === '' ? redirect(SIGN_IN_PAGE + queryOf(call)) : fail(call, 'unknown_provider');
    const begun = { state: random(), nonce: random(), verifier: random() };
    try {
      const page = await provider.begin(begun);
      const to = placeOnPage(call.search.get('to') ?? undefined);
      const sealed = begunSignIns.seal({ ...begun, to, provider: provider.settings.id });
      return redirect(page.href, [setCookie('sign_in', sealed, SIGN_IN_TIME_MS)]);
    } catch (thrown) {
      onProviderFailed(faultOf(thrown).reason, { provider: provider.settings.id });
      return fail(call, 'provider_unavailable');
    }
  };

  /** Who has come back from the provider, and where they go on. */
  const identify = async (
    call: Call,
    path: string,
  ): Promise<{ readonly provider: Provider; readonly identity: Identity; readonly to: string } | SignInProblem> => {
    const begun = begunSignIns.open(cookieOf(call.request.get('cookie'), 'sign_in'));
    const provider = providers.find(({ settings }) => settings.id === begun?.provider);
    if (!begun || !provider || call.search.get('state') !== begun.state) return 'expired';
    // Each provider has its own address to come back to, so that the answer of one is not taken for that of another (RFC 9700, 4.4.2).
    if (provider.settings.callback !== path) return 'failed';
    if (!(await spent.spend(`sign-in ${begun.state}`, new Date(begun.endsAt)))) return 'expired';
    try {
      return { provider, identity: await provider.redeem(call.search, begun), to: begun.to };
    } catch (thrown) {
      const { problem, reason } = faultOf(thrown);
      onProviderFailed(reason, { provider: provider.settings.id });
      return problem;
    }
  };

  const letIn = async (call: Call, path: string): Promise<Answered<undefined> | SignInProblem> => {
    const origin = originOf(call.request);
    if ((await attempts.count('network', origin.network)) > ATTEMPTS.network.max) return 'too_many';
    const come = await identify(call, path);
    if (typeof come === 'string') return come;
    const { identity, provider, to } = come;
    const { id, roles } = provider.settings;
    const rights = roles && (rightsOfGroups(roles, identity.groups) ?? null);
    const found = await identities.personOf(identity, rights, `provider:${id}`);
    if (!found.ok) return found.problem;
    await attempts.takeBack('network', origin.network);
    const { issuer, session, idToken } = identity;
    const atProvider = { session: session && providerSession(issuer, session), sealedIdToken: secretBox.seal(idToken, ID_TOKEN_PURPOSE) };
    const signedIn = await signIn.asPerson(found, `oidc:${id}`, origin, atProvider);
    return redirect(TOOL_PAGE + to, [...sessionCookies(signedIn, sessionLifetimeMs)['Set-Cookie'], clearCookie('sign_in')]);
  };

  const end = async (call: Call, path: string): Promise<Answered<undefined> | Refused> => {
    const { network } = originOf(call.request);
    const ended = await letIn(call, path).catch((thrown: unknown): SignInProblem => {
      onFailure(asError(thrown));
      return 'unavailable';
    });
    onSignIn('provider', typeof ended === 'string' ? (OUTCOMES[ended] ?? 'failed') : 'signed_in', network);
    return typeof ended === 'string' ? fail(call, ended) : ended;
  };

  return {
    beginSignIn: begin,
    endSignIn: (_asked, call) => end(call, CALLBACK),
    endSignInAt: ({ provider }, call) => end(call, callbackOf(provider)),
    signOutByProvider: async (_asked, { request }) => {
      const read = await readBody(request, MAX_LOGOUT_BYTES);
      if (!('body' in read)) return 'refusal' in read ? refuseWith(read.refusal) : GONE;
      const ended = await signOutByToken(new URLSearchParams(read.body.toString()).get('logout_token') ?? '');
      if (ended.ok) return answer(undefined);
      onProviderFailed(ended.reason, { provider: 'logout token' });
      if (ended.unavailable) return refuse('unavailable', 'The keys of the provider could not be read.', [], { 'Retry-After': '60' });
      return refuse('invalid_request', `The logout token is not valid: ${ended.reason.message}.`);
    },
  };
};

const queryOf = ({ url }: Pick<Call, 'url'>): string => new URL(url, 'http://localhost').search;

/** No page that a sign-in passes through tells the next one its address, which has a code. */
const redirect = (to: string, cookies: readonly string[] = []): Answered<undefined> =>
  answer(undefined, { Location: to, 'Referrer-Policy': 'no-referrer', ...(cookies.length > 0 && { 'Set-Cookie': [...cookies] }) });

/** To the sign-in page with the problem; a program gets it as an answer. */
const fail = ({ request }: Call, problem: SignInProblem): Answered<undefined> | Refused => {
  if (request.accepts(['html', 'json']) === 'html') return redirect(`${SIGN_IN_PAGE}?problem=${problem}`);
  const { code, detail } = SIGN_IN_PROBLEMS[problem];
  return refuse(code, detail);
};
