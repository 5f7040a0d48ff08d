import { EVERYTHING } from '../access/scope.ts';
import { askedOf } from './answer-report.ts';
import { deliverMessage, type DeliverMessageOptions } from './deliver-message.ts';
import type { Reports } from './run-report.ts';
import type { SavedReportStore, StoredReport } from './saved-report-store.ts';
import { createSendDue } from './send-due.ts';
import { reportFile } from './send-report.ts';

export interface DeliverReportsOptions extends DeliverMessageOptions {
  readonly store: SavedReportStore;
  readonly reports: Reports;
  readonly onFailure: (fault: Error) => void;
}

/** The purpose of the sealed secrets of webhooks. */
export const WEBHOOK_PURPOSE = 'report webhook';

/**
 * Sends saved reports when they are due. Of all replicas one sends a report: it takes it for five
 * minutes. A replica that dies in between lets another send it, so a report is sent at least once; a
 * webhook gets the same `X-Report-Id` each time. A way that failed is tried again, four times.
 */
export const createDeliverReports = (options: DeliverReportsOptions) => {
  const { store, reports, dispatchers, onFailure } = options;

  const send = async (saved: StoredReport): Promise<void> => {
    const { id, name, query, publishers, schedule, webhookSecret, dueAt, delivered } = saved;
    if (!schedule) return;
    const asked = await askedOf(reports, new URLSearchParams(query), { ...EVERYTHING, publishers });
    if (!asked.ok) throw new Error(`The saved report cannot be answered: ${asked.faults[0]?.detail ?? ''}`);
    const { from, to } = asked.value;
    const file = await reportFile(reports, `schedule ${id}`, asked.value, schedule.format);
    const { webhook, emails } = schedule;
    const call = webhook !== null &&
      !delivered.includes('webhook') && {
        ...{ what: 'report' as const, deliveryId: `${id}-${dueAt?.getTime() ?? 0}`, file },
        ...{ address: webhook, sealedSecret: webhookSecret, purpose: WEBHOOK_PURPOSE },
      };
    const mail = emails.length > 0 &&
      !delivered.includes('email') && {
        to: emails,
        subject: `${name}: ${from === to ? from : `${from} to ${to}`}`.replace(/\s+/g, ' '),
        text: `The report “${name}” of the ad server is attached.\n`,
        file,
      };
    await deliverMessage(options, { webhook: call || undefined, email: mail || undefined }, (way) => store.delivered(saved, way));
  };

  return createSendDue({ store, send, attemptsOf: ({ attempts }) => attempts, dispatchers, onFailure, onNotSent: onFailure });
};
