import type { AnswerOf } from '../../src/api/route.ts';
import type { Schema, Shape } from '../../src/base/schema.ts';
import type { SIGN_IN_API } from '../../src/people/accounts/sign-in-api.ts';
import type { PASSKEY_API } from '../../src/people/factors/factor-api.ts';
import { ask } from './request.ts';
import type { Answer } from './wire.ts';

type AuthTable = typeof SIGN_IN_API & typeof PASSKEY_API;
type AuthRoute = AuthTable[keyof AuthTable];
type RouteAt<P extends AuthRoute['path']> = Extract<AuthRoute, { readonly path: P }>;
type BodyOf<R> = R extends { readonly body: { readonly schema: infer S extends Schema } } ? [body: Shape<S>] : [];

/** What a route of /auth answers. */
export type AuthAnswer<P extends AuthRoute['path']> = AnswerOf<RouteAt<P>>;

/** How one can sign in. */
export type SignInMethods = AuthAnswer<'/auth/methods'>;

/** Asks a route of /auth. Never rejects. */
export const askAuth = <P extends AuthRoute['path']>(
  method: RouteAt<P>['method'],
  path: P,
  ...[body]: BodyOf<RouteAt<P>>
): Promise<Answer<AuthAnswer<P>>> => ask(path, { method, body });

/** The page that lets people in, beside the page of the tool. Unlike /auth/login it waits for the person, also where there is one way only. */
export const SIGN_IN_PAGE = 'sign-in.html';

/** Where people are let in. It leads back to a screen of the tool. @param hash of that screen */
export const signInAddress = (hash: string): string => `/auth/login?to=${encodeURIComponent(hash)}`;
