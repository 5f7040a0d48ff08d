import type { Response } from 'express';
import { mayDo, type Caller } from '../access/caller.ts';
import { PERMISSIONS } from '../access/permissions.ts';
import { isLimited } from '../access/scope.ts';
import { refuse, type Refused, type RouteDefinition } from './route.ts';

/**
 * Why a caller does not get the record that a path names, by the id in it; undefined: it does. What it
 * may not know of does not exist for it. Rejects when Postgres is unavailable.
 */
export type RecordReach = (route: RouteDefinition, caller: Caller, id: unknown) => Promise<Refused | undefined>;

const CALLER = 'caller';

/** Notes who calls, for the routes behind a gate. */
export const letIn = (res: Response, caller: Caller): void => {
  res.locals[CALLER] = caller;
};

/** Who calls a route that a gate has let in. */
export const callerOf = (res: Response): Caller => {
  const caller = res.locals[CALLER] as Caller | undefined;
  if (!caller) throw new Error('No gate has let the caller in.');
  return caller;
};

/** Why a caller may not call a route, whatever it asks of it; undefined: it may. */
export const refusalOf = ({ needs = 'sign_in', reach }: Pick<RouteDefinition, 'needs' | 'reach'>, caller: Caller): Refused | undefined => {
  if (needs !== 'sign_in' && !mayDo(caller, needs))
    return refuse('forbidden', `Your roles do not include the permission to ${PERMISSIONS[needs]}.`);
  if (reach === undefined && isLimited(caller))
    return refuse('forbidden', 'This concerns the whole installation, and your access is for a part of it.');
  if (reach === 'publishers' && caller.advertisers)
    return refuse('forbidden', 'This concerns all advertisers of a publisher, and your access is for some.');
  return undefined;
};
