import { at, defineRoutes, created, jsonBody, noContent, ok } from '../api/route.ts';
import { component, recordComponent } from '../api/component.ts';
import { choiceQuery, idInPath, required, textQuery } from '../api/parameters.ts';
import * as s from '../base/schema.ts';
import { ALERT_KIND_NAMES, ALERT_KINDS } from '../catalog/model/alert-kinds.ts';
import { SENT_TO, sentMembers } from '../reports/sent-addresses.ts';
import { ALERT_ENTITIES } from './found-alert.ts';

const MAX_MUTE_DAYS = 365;

const kind = s.described(s.oneOf(ALERT_KIND_NAMES), ALERT_KIND_NAMES.map((name) => `${name}: ${ALERT_KINDS[name].help}`).join('; '));
const ofWhat = 'The entity_id of an alert; empty: all of the kind';

const ALERT = component(
  'Alert',
  s.record({
    id: s.integer,
    kind,
    entity: s.oneOf(ALERT_ENTITIES),
    entity_id: s.text,
    publisher_id: s.orNull(s.integer),
    words: s.described(s.text, 'A sentence for staff'),
    opened_at: s.moment,
    closed_at: s.orNull(s.text, { description: 'null: it is still the case' }),
    muted: s.described(s.boolean, 'By the caller'),
  }),
  {
    ...{ id: 71, kind: 'under_delivery', entity: 'line_item', entity_id: '5', publisher_id: 1 },
    words:
      '“Boots, sport readers” is behind by 32%: 6,800 of 25,000 impressions, 10,000 due by now. At the rate of the last day, it would end at about 17,000.',
    ...{ opened_at: '2026-10-14T12:00:00.000Z', closed_at: null, muted: false },
  },
);
export type AlertWire = s.Shape<typeof ALERT>;

const MUTE = component(
  'AlertMute',
  s.record({ kind, entity_id: s.described(s.text, ofWhat), until: s.orNull(s.text, { description: 'null: until it is taken back' }) }),
  { kind: 'ends_soon', entity_id: '5', until: '2026-10-14T12:00:00.000Z' },
);
export type MuteWire = s.Shape<typeof MUTE>;

const MUTE_REQUEST = component(
  'AlertMuteRequest',
  s.closedRecord({
    kind,
    entity_id: s.withDefault(s.textOf({ maxLength: 64, description: ofWhat }), ''),
    days: s.withDefault(
      s.orNull(s.integerOf({ minimum: 1, maximum: MAX_MUTE_DAYS }), { description: 'null: until it is taken back' }),
      null,
    ),
  }),
  { kind: 'ends_soon', entity_id: '5', days: 7 },
);

const RECIPIENT = recordComponent(
  'AlertRecipient',
  s.closedRecord({
    kinds: s.withDefault(
      s.listOf(s.oneOf(ALERT_KIND_NAMES), {
        uniqueItems: true,
        description: 'Alerts that are sent as they open; empty: none, but the digest',
      }),
      [...ALERT_KIND_NAMES],
    ),
    digest: s.withDefault(
      s.described(s.boolean, 'Mails what is at risk each morning, as the home screen lists it; nothing when all is well'),
      false,
    ),
    publisher_id: s.withDefault(
      s.orNull(s.recordId, {
        description: 'Only alerts of this publisher; null: of all, and of the installation',
      }),
      null,
    ),
    ...SENT_TO,
  }),
  sentMembers({
    owner: 'Who set it up: what this person mutes is not sent',
    last: 'The last attempt to send to it',
    header: 'X-Alerts-Signature',
  }),
  {
    kinds: ['under_delivery', 'budget_spent', 'complaints'],
    publisher_id: null,
    emails: [],
    webhook: 'https://gazette.example/alerts',
    digest: false,
  },
);
/** To whom alerts are sent. */
export type AlertRecipient = s.Shape<(typeof RECIPIENT)['sent']>;
export type RecipientWire = s.Shape<(typeof RECIPIENT)['answered']>;

const MUTING = { needs: 'alerts.read', reach: 'any' } as const;
const mutes = ok('What the caller has muted', s.listOf(MUTE));
const SENDING = { needs: 'setup.write', reach: 'publishers' } as const;
const recipientBody = jsonBody(RECIPIENT.sent, 'The recipient has faults.');
const recipientInPath = { id: idInPath('recipient of alerts') };

/** Alerts, what a person has muted, and to whom alerts are sent. */
export const ALERT_API = defineRoutes({
  listAlerts: {
    ...at('GET', '/api/alerts', 'delivery'),
    needs: 'alerts.read',
    reach: 'own',
    summary: 'What needs attention now, then what was closed within 30 days; the newest first',
    answer: ok('Alerts', s.listOf(ALERT)),
  },
  listAlertMutes: {
    ...at('GET', '/api/alert_mutes', 'delivery', MUTING),
    summary: 'What the caller has muted',
    answer: mutes,
  },
  muteAlerts: {
    ...at('PUT', '/api/alert_mutes', 'delivery', MUTING),
    summary: 'Mutes one alert, or all of a kind, for the caller: nothing of it is sent to recipients that the caller set up',
    body: jsonBody(MUTE_REQUEST, 'The alerts cannot be muted.'),
    answer: mutes,
  },
  unmuteAlerts: {
    ...at('DELETE', '/api/alert_mutes', 'delivery', MUTING),
    summary: 'Takes a mute of the caller back',
    parameters: {
      kind: required(choiceQuery(ALERT_KIND_NAMES, 'The kind')),
      entity_id: textQuery('Empty: the mute of all of the kind'),
    },
    answer: mutes,
  },
  listAlertRecipients: {
    ...at('GET', '/api/alert_recipients', 'delivery'),
    needs: 'alerts.read',
    reach: 'publishers',
    summary: 'To whom new alerts are sent',
    answer: ok('Recipients', s.listOf(RECIPIENT.answered)),
  },
  createAlertRecipient: {
    ...at('POST', '/api/alert_recipients', 'delivery', SENDING),
    summary: 'Sends new alerts by e-mail or webhook',
    body: recipientBody,
    answer: created('The recipient', RECIPIENT.answered),
  },
  replaceAlertRecipient: {
    ...at('PUT', '/api/alert_recipients/{id}', 'delivery', SENDING),
    summary: 'Replaces a recipient; another webhook gets another secret',
    parameters: recipientInPath,
    body: recipientBody,
    answer: ok('The recipient', RECIPIENT.answered),
  },
  deleteAlertRecipient: {
    ...at('DELETE', '/api/alert_recipients/{id}', 'delivery', SENDING),
    summary: 'Sends nothing to it any more',
    parameters: recipientInPath,
    answer: noContent('Deleted'),
  },
});
