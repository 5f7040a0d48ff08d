import type { RequestHandler } from 'express';
import { createCallApi } from '../agents/call-api.ts';
import { createStaffDoor } from '../agents/staff-door.ts';
import { createSecretBox } from '../base/secret-box.ts';
import type { ErrorHandlerParts } from '../http/problems/error-handler.ts';
import type { People } from '../people/create-people.ts';
import { composeCallCount } from './compose-people.ts';
import type { Foundation } from './lay-foundation.ts';

/** The tools of staff; undefined: they are turned off. */
export const composeStaffTools = (
  foundation: Foundation,
  { gate }: Pick<People, 'gate'>,
  api: RequestHandler,
  errors: ErrorHandlerParts,
): RequestHandler | undefined => {
  const { mcp, agentCallsPerMinute, tokenSecrets } = foundation.settings;
  if (!mcp) return undefined;
  return createStaffDoor({
    ...{ gate, version: foundation.version, now: Date.now, maxCallsPerMinute: agentCallsPerMinute },
    callApi: createCallApi({ api, errors }),
    countCall: composeCallCount(foundation),
    // Confirmations live for minutes: the keys of tracking tokens seal them, which every replica has.
    box: createSecretBox(tokenSecrets),
  });
};
