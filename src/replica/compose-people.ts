import type { Request } from 'express';
import { networkOf } from '../context/network-of.ts';
import { createCallerAddress } from '../http/request/caller-address.ts';
import { createAttempts } from '../people/attempts.ts';
import { createPresence } from '../people/presence/presence.ts';
import { createPeople, type People } from '../people/create-people.ts';
import type { Origin } from '../people/sessions/session-store.ts';
import { createSendMail } from '../mail/send-mail.ts';
import { createStaffMail, type StaffMail } from '../mail/staff-mail.ts';
import type { Delivery } from './compose-delivery.ts';
import type { Foundation } from './lay-foundation.ts';

export const toolUrlOf = ({ toolUrl, port }: Foundation['settings']): string => (toolUrl === '' ? `http://localhost:${port}` : toolUrl);

/** undefined: SMTP_URL is not set. */
export const composeStaffMail = ({ settings, observe }: Foundation): StaffMail | undefined =>
  settings.smtp &&
  createStaffMail({
    sendMail: createSendMail(settings.smtp.url, settings.smtp.from),
    toolUrl: toolUrlOf(settings),
    onMailFailed: observe.storeFailed('trafficking', 'A mail to staff could not be sent'),
  });

const countingOf = ({ stores }: Pick<Foundation, 'stores'>) => ({
  ...{ redis: stores.backgroundRedis, keys: stores.keys, countersUp: () => stores.backgroundLink.up },
});

/** Counts the calls of agents. */
export const composeCallCount = (foundation: Foundation): ((caller: string) => Promise<number>) => {
  const attempts = createAttempts(countingOf(foundation));
  return (caller) => attempts.count('agent', caller);
};

/** Who may use the trafficking tool. */
export const composePeople = ({ settings, stores, observe, providers }: Foundation, { requestContext, secretBox }: Delivery): People => {
  const callerAddress = createCallerAddress(settings.trustProxyHops);
  const originOf = (req: Request): Origin => {
    const address = callerAddress(req);
    const { city, region, country, userAgent } = requestContext(req);
    return { userAgent, network: address === null ? '' : networkOf(address), place: city ?? region ?? country };
  };
  const { adminTokens, tokenSecrets, publicUrl, accounts, production, sessionIdleMs, sessionLifetimeMs, smtp } = settings;
  const counting = countingOf({ stores });
  return createPeople({
    ...{
      knex: stores.knex,
      adminTokens,
      tokenSecrets,
      publicUrl,
      hasAccounts: accounts,
      alwaysRequired: production || providers.length > 0,
    },
    ...{ providers, sessionIdleMs, sessionLifetimeMs, originOf, sealBox: secretBox },
    toolUrl: toolUrlOf(settings),
    sellsToAgents: settings.adcp !== 'off',
    attempts: createAttempts(counting),
    presence: createPresence(counting),
    sendMail: smtp && createSendMail(smtp.url, smtp.from),
    onRefused: observe.adminRefused,
    onSignIn: observe.signIn,
    onMailFailed: observe.storeFailed('trafficking', 'A mail with a link could not be sent'),
    onProviderFailed: observe.providerFailed,
    onFailure: observe.storeFailed('trafficking', 'The sign-in could not reach its store'),
  });
};
