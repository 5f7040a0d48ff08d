import type { Knex } from 'knex';
import { includesAll, type Scope } from '../access/scope.ts';
import type { Fault } from '../base/fault.ts';
import { MS_PER_DAY } from '../base/utc-day.ts';
import { answer, type Handlers } from '../api/route.ts';
import { sentToFaults, type SendingOptions } from '../reports/sent-addresses.ts';
import { sentRecords } from '../reports/sent-records.ts';
import type { ALERT_API, AlertRecipient } from './alert-api.ts';
import type { AlertStore } from './alert-store.ts';
import { createRecipientStore, MAX_RECIPIENTS, type StoredRecipient } from './recipient-store.ts';
import { ALERT_WEBHOOK_PURPOSE } from './send-alerts.ts';

export interface AlertRoutesOptions extends SendingOptions {
  readonly knex: Knex;
  readonly alerts: AlertStore;
}

/** Alerts, what a person has muted, and to whom they are sent. */
export const alertRoutes = ({ alerts, ...options }: AlertRoutesOptions): Handlers<typeof ALERT_API> => {
  const shownMutes = async (person: string) =>
    answer((await alerts.mutes(person)).map(({ kind, entityId, until }) => ({ kind, entity_id: entityId, until: isoOrNull(until) })));
  const recipients = sentRecords({
    ...options,
    storeOf: (knex) => createRecipientStore({ knex }),
    purpose: ALERT_WEBHOOK_PURPOSE,
    entity: 'alert_recipient',
    max: MAX_RECIPIENTS,
    words: { one: 'recipient of alerts', many: 'recipients of alerts', refusal: 'The recipient has faults.' },
    faultsOf: (recipient: AlertRecipient, scope) => [
      ...waysFaults(recipient),
      ...digestFaults(recipient),
      ...publisherFaults(recipient, scope),
      ...sentToFaults(recipient, options),
    ],
    isSeen: ({ publisher_id }, { publishers }) => includesAll(publishers, publisher_id === null ? null : [publisher_id]),
    webhookOf: ({ webhook }) => webhook,
    show: shownRecipient,
  });
  return {
    listAlerts: async (_asked, { actor, caller }) => answer((await alerts.list(actor, caller)).map(shownAlert)),
    listAlertMutes: (_asked, { actor }) => shownMutes(actor),
    muteAlerts: async ({ body: { kind, entity_id: entityId, days } }, { actor }) => {
      const until = days === null ? null : new Date(Date.now() + days * MS_PER_DAY);
      await alerts.mute(actor, { kind, entityId, until });
      return shownMutes(actor);
    },
    unmuteAlerts: async ({ kind, entity_id: entityId = '' }, { actor }) => {
      await alerts.unmute(actor, kind, entityId);
      return shownMutes(actor);
    },
    listAlertRecipients: recipients.list,
    createAlertRecipient: recipients.create,
    replaceAlertRecipient: recipients.replace,
    deleteAlertRecipient: recipients.remove,
  };
};

const waysFaults = ({ emails, webhook }: AlertRecipient): readonly Fault[] =>
  (emails.length === 0) === (webhook === null)
    ? [{ pointer: '', detail: 'must have either e-mail addresses or a webhook: each is tried again apart' }]
    : [];

const digestFaults = ({ kinds, digest, emails }: AlertRecipient): readonly Fault[] => {
  if (kinds.length === 0 && !digest) return [{ pointer: '/kinds', detail: 'must name at least one kind of alert, unless digest is true' }];
  return digest && emails.length === 0 ? [{ pointer: '/digest', detail: 'must be false: it is sent by e-mail alone' }] : [];
};

const publisherFaults = ({ publisher_id }: AlertRecipient, { publishers }: Scope): readonly Fault[] =>
  includesAll(publishers, publisher_id === null ? null : [publisher_id])
    ? []
    : [{ pointer: '/publisher_id', detail: 'must be one of your publishers: your access is for some' }];

const isoOrNull = (date: Date | null): string | null => date?.toISOString() ?? null;

const shownAlert = ({ entityId, publisherId, openedAt, closedAt, isMuted, ...alert }: Awaited<ReturnType<AlertStore['list']>>[number]) => ({
  ...alert,
  ...{ entity_id: entityId, publisher_id: publisherId, opened_at: openedAt.toISOString(), closed_at: isoOrNull(closedAt) },
  muted: isMuted,
});

/** A recipient as the API shows it: without the secret of its webhook. */
const shownRecipient = ({ webhookSecret: _, attempts: __, lastAt, lastFault, ...recipient }: StoredRecipient) => ({
  ...recipient,
  ...{ last_at: isoOrNull(lastAt), last_fault: lastFault },
});
