import { unlimitedCaller } from '../access/caller.ts';
import type { GuardedDispatchers } from '../bidders/calls/guarded-dispatcher.ts';
import type { CatalogWriter } from '../bookings/catalog-writer.ts';
import { ENTITY_KINDS } from '../bookings/entity-kind.ts';
import { createSendDue, type DueStore } from '../reports/send-due.ts';
import type { AlertStore } from './alert-store.ts';
import type { DueDigest } from './digest-store.ts';
import type { createFindAlerts } from './find-alerts.ts';
import type { DueMessage, RecipientStore } from './recipient-store.ts';
import type { createSendAlerts } from './send-alerts.ts';
import type { createSendDigest } from './send-digest.ts';

export interface WatchBookingsOptions {
  readonly alerts: AlertStore;
  readonly recipients: RecipientStore;
  readonly findAlerts: ReturnType<typeof createFindAlerts>;
  readonly sendAlerts: ReturnType<typeof createSendAlerts>;
  readonly digests: DueStore<DueDigest>;
  readonly sendDigest: ReturnType<typeof createSendDigest>;
  readonly writer: Pick<CatalogWriter, 'block'>;
  readonly dispatchers: Pick<GuardedDispatchers, 'sweep' | 'close'>;
  readonly now?: () => number;
  /** A creative was blocked because of complaints about malware. */
  readonly onBlocked: (creativeId: number) => void;
  readonly onFailure: (fault: Error) => void;
  readonly onNotSent: (fault: Error) => void;
}

/** In the audit trail, who blocks creatives that clients report as malware. */
export const WATCH_ACTOR = 'alerts';

/**
 * Looks for what staff must know of once a minute, on one of the replicas, blocks creatives that clients
 * report as malware, and sends new alerts, and the mails of the morning. A replica that dies while it sends lets another send again.
 */
export const createWatchBookings = (options: WatchBookingsOptions) => {
  const { alerts, recipients, findAlerts, sendAlerts, digests, sendDigest, writer, dispatchers } = options;
  const { now = Date.now, onBlocked, onFailure, onNotSent } = options;

  /** Resolves to the number of new alerts; undefined: another replica has just looked. */
  const look = async (signal?: AbortSignal): Promise<number | undefined> => {
    if (!(await alerts.takeCheck())) return undefined;
    const found = await findAlerts(now(), signal);
    for (const creativeId of found.malware) {
      const target = { kind: ENTITY_KINDS.creatives, id: creativeId, caller: unlimitedCaller(WATCH_ACTOR) };
      if ((await writer.block(target)).ok) onBlocked(creativeId);
    }
    return alerts.record(found.alerts);
  };

  /** What could not be mailed is tried again every half an hour, until the next morning's takes its place. */
  const digesting = createSendDue<DueDigest>({
    ...{ store: digests, send: (due) => sendDigest(due, now()), attemptsOf: () => 2 },
    ...{ dispatchers, onFailure, onNotSent },
  });
  const sending = createSendDue<DueMessage>({
    ...{ store: recipients, send: sendAlerts, attemptsOf: ({ recipient }) => recipient.attempts },
    ...{ prepare: (signal) => look(signal).then(digesting.pass), dispatchers, onFailure, onNotSent },
  });
  return { look, send: sending.pass, sendDigests: digesting.pass, start: sending.start, stop: sending.stop };
};
