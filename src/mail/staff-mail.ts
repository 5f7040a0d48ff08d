import type { SendMail } from './send-mail.ts';

/** What staff are written about something on a screen of the tool. */
export interface StaffMessage {
  /** Addresses. Each gets a separate mail, so that none sees the others. */
  readonly to: readonly string[];
  readonly subject: string;
  /** Before the link. */
  readonly paragraphs: readonly string[];
  /** `#/approvals/4` */
  readonly hash: string;
}

/** Mails to staff. Resolves in any case: what failed is reported. */
export type StaffMail = (message: () => Promise<StaffMessage | undefined>) => Promise<void>;

export interface StaffMailOptions {
  readonly sendMail: SendMail;
  readonly toolUrl: string;
  readonly onMailFailed: (fault: Error) => void;
}

const MAX_SUBJECT = 200;

export const createStaffMail = ({ sendMail, toolUrl, onMailFailed }: StaffMailOptions): StaffMail => {
  const send = async (message: () => Promise<StaffMessage | undefined>): Promise<void> => {
    const { to = [], subject = '', paragraphs = [], hash = '' } = (await message()) ?? {};
    const text = `${[...paragraphs, `${toolUrl}/static/admin.html${hash}`].join('\n\n')}\n`;
    for (const address of to)
      await sendMail({ to: [address], subject: subject.replaceAll(/\s+/g, ' ').slice(0, MAX_SUBJECT), text }).catch(onMailFailed);
  };
  return (message) => send(message).catch(onMailFailed);
};
