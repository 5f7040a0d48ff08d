import { ALERT_KIND_NAMES, ALERT_KINDS } from '../../catalog/model/alert-kinds.ts';
import { MAX_MUTE_DAYS } from '../../alerts/alert-routes.ts';
import { RECIPIENT_SCHEMA } from '../../alerts/check-recipient.ts';
import { BODY_PROBLEMS, idInPath, jsonAnswer, jsonBody, problems, query, READ_PROBLEMS, WRITE_PROBLEMS, type Paths } from './operation.ts';
import { boolean, integer, listOf, moment, oneOf, orNull, record, ref, text } from '../../api/schema.ts';

const kind = { ...oneOf(ALERT_KIND_NAMES), description: ALERT_KIND_NAMES.map((name) => `${name}: ${ALERT_KINDS[name].help}`).join('; ') };
const entityId = { ...text, description: 'The entity_id of an alert; empty: all of the kind' };

/** Component schemas of alerts. */
export const ALERT_SCHEMAS = {
  Alert: record({
    id: integer,
    kind,
    entity: oneOf(['line_item', 'campaign', 'creative', 'books']),
    entity_id: text,
    publisher_id: orNull('integer'),
    words: { ...text, description: 'A sentence for staff' },
    opened_at: moment,
    closed_at: orNull('string', { description: 'null: it is still the case' }),
    muted: { ...boolean, description: 'By the caller' },
  }),
  AlertMute: record({ kind, entity_id: entityId, until: orNull('string', { description: 'null: until it is taken back' }) }),
  AlertMuteRequest: {
    type: 'object',
    required: ['kind'],
    additionalProperties: false,
    properties: {
      kind,
      entity_id: { ...entityId, maxLength: 64, default: '' },
      days: { type: ['integer', 'null'], minimum: 1, maximum: MAX_MUTE_DAYS, default: null, description: 'null: until it is taken back' },
    },
  },
  AlertRecipient: {
    ...RECIPIENT_SCHEMA,
    properties: {
      ...RECIPIENT_SCHEMA.properties,
      id: { ...integer, readOnly: true },
      owner: { ...text, readOnly: true, description: 'Who set it up: what this person mutes is not sent' },
      last_at: { ...orNull('string'), readOnly: true, description: 'The last attempt to send to it' },
      last_fault: { ...orNull('string'), readOnly: true, description: 'Why that attempt failed; null: it did not' },
      webhook_secret: { ...text, readOnly: true, description: 'The key of X-Alerts-Signature. Returned only when it is made' },
    },
  },
};

const MUTES = jsonAnswer('What the caller has muted', listOf(ref('AlertMute')));

/** Alerts, mutes and recipients. */
export const alertPaths = (): Paths => ({
  '/api/alerts': {
    get: {
      operationId: 'listAlerts',
      tags: ['delivery'],
      summary: 'What needs attention now, then what was closed within 30 days; the newest first',
      responses: { 200: jsonAnswer('Alerts', listOf(ref('Alert'))), ...problems(...READ_PROBLEMS) },
    },
  },
  '/api/alert_mutes': {
    get: {
      operationId: 'listAlertMutes',
      tags: ['delivery'],
      summary: 'What the caller has muted',
      responses: { 200: MUTES, ...problems(...READ_PROBLEMS) },
    },
    put: {
      operationId: 'muteAlerts',
      tags: ['delivery'],
      summary: 'Mutes one alert, or all of a kind, for the caller: nothing of it is sent to recipients that the caller set up',
      requestBody: jsonBody(ref('AlertMuteRequest')),
      responses: { 200: MUTES, ...problems(...BODY_PROBLEMS, ...WRITE_PROBLEMS) },
    },
    delete: {
      operationId: 'unmuteAlerts',
      tags: ['delivery'],
      summary: 'Takes a mute of the caller back',
      parameters: [
        query('kind', oneOf(ALERT_KIND_NAMES), 'The kind', true),
        query('entity_id', text, 'Empty: the mute of all of the kind'),
      ],
      responses: { 200: MUTES, ...problems('invalid_request', ...WRITE_PROBLEMS) },
    },
  },
  '/api/alert_recipients': {
    get: {
      operationId: 'listAlertRecipients',
      tags: ['delivery'],
      summary: 'To whom new alerts are sent',
      responses: { 200: jsonAnswer('Recipients', listOf(ref('AlertRecipient'))), ...problems(...READ_PROBLEMS) },
    },
    post: {
      operationId: 'createAlertRecipient',
      tags: ['delivery'],
      summary: 'Sends new alerts by e-mail or webhook',
      requestBody: jsonBody(ref('AlertRecipient')),
      responses: { 201: jsonAnswer('The recipient', ref('AlertRecipient')), ...problems(...BODY_PROBLEMS, ...WRITE_PROBLEMS) },
    },
  },
  '/api/alert_recipients/{id}': {
    parameters: [idInPath()],
    put: {
      operationId: 'replaceAlertRecipient',
      tags: ['delivery'],
      summary: 'Replaces a recipient; another webhook gets another secret',
      requestBody: jsonBody(ref('AlertRecipient')),
      responses: { 200: jsonAnswer('The recipient', ref('AlertRecipient')), ...problems('not_found', ...BODY_PROBLEMS, ...WRITE_PROBLEMS) },
    },
    delete: {
      operationId: 'deleteAlertRecipient',
      tags: ['delivery'],
      summary: 'Sends nothing to it any more',
      responses: { 204: { description: 'Deleted' }, ...problems('not_found', ...WRITE_PROBLEMS) },
    },
  },
});
