import { ALERT_KINDS } from '../catalog/model/alert-kinds.ts';
import { deliverMessage, type DeliverMessageOptions } from '../reports/deliver-message.ts';
import type { DueMessage } from './recipient-store.ts';

export interface SendAlertsOptions extends DeliverMessageOptions {
  /** Of the page; '': messages have no links. */
  readonly publicUrl: string;
}

/** The purpose of the sealed secrets of webhooks. */
export const ALERT_WEBHOOK_PURPOSE = 'alert webhook';

/** Sends the alerts of a message by the one way of its recipient; rejects when that fails. The fault is for staff. */
export const createSendAlerts =
  (options: SendAlertsOptions) =>
  ({ recipient: { id, webhook, webhookSecret, emails }, alerts }: DueMessage): Promise<void> => {
    const { publicUrl } = options;
    const content = Buffer.from(JSON.stringify({ alerts: alerts.map((alert) => ({ ...shown(alert), url: linkOf(publicUrl, alert) })) }));
    const [first] = alerts;
    const subject =
      alerts.length === 1 && first ? `${ALERT_KINDS[first.kind].label}: ${first.words}` : `${alerts.length} alerts of the ad server`;
    const lines = alerts.map((alert) => `${ALERT_KINDS[alert.kind].label}: ${alert.words}\n${linkOf(publicUrl, alert) ?? ''}`.trim());
    const call = webhook !== null && {
      ...{ what: 'alerts' as const, deliveryId: `${id}-${first?.id}-${alerts.at(-1)?.id}` },
      file: { name: 'alerts.json', type: 'application/json', content },
      ...{ address: webhook, sealedSecret: webhookSecret, purpose: ALERT_WEBHOOK_PURPOSE },
    };
    const text = `${lines.join('\n\n')}\n`;
    const mail = emails.length > 0 && { to: emails, subject: subject.replaceAll(/\s+/g, ' ').slice(0, 200), text };
    return deliverMessage(options, { webhook: call || undefined, email: mail || undefined });
  };

type Alert = DueMessage['alerts'][number];

const shown = ({ id, kind, entity, entityId, publisherId, words, openedAt }: Alert) => ({
  ...{ id, kind, entity, entity_id: entityId, publisher_id: publisherId, words, opened_at: openedAt.toISOString() },
});

const PATHS = { line_item: 'line_items/', campaign: 'campaigns/', creative: 'creatives/', approval: 'approvals/' } as const;

/** Where the page shows it; null: PUBLIC_URL is not set. */
const linkOf = (publicUrl: string, { entity, entityId }: Pick<Alert, 'entity' | 'entityId'>): string | null =>
  publicUrl === '' ? null : `${publicUrl}/static/admin.html#/${entity === 'books' ? 'alerts' : `${PATHS[entity]}${entityId}`}`;
