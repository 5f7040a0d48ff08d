/** A file that goes with a mail, or as the body of a webhook. */
export interface SentFile {
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly content: Buffer;
}

/** The connection to a mail server, its greeting, and silence in between. */
const MAIL_MS = 15_000;

export interface Mail {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly file?: SentFile;
}

/** Sends a mail; rejects when the mail server does not take it for a recipient. */
export type SendMail = (mail: Mail) => Promise<void>;

/** @param smtpUrl as nodemailer takes it: smtps://user:password@host:465 */
export const createSendMail =
  (smtpUrl: string, from: string): SendMail =>
  async ({ to, subject, text, file }) => {
    // Loaded with the first mail: most replicas send none.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      url: smtpUrl,
      connectionTimeout: MAIL_MS,
      greetingTimeout: MAIL_MS,
      socketTimeout: MAIL_MS,
      // The texts are ours; a path or an address in them is not read.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      const attachments = file ? [{ filename: file.name, contentType: file.type, content: file.content }] : [];
      const sent = await transport.sendMail({ from, to: [...to], subject, text, attachments });
      if (sent.rejected.length > 0) throw new Error(`The mail server refused ${sent.rejected.length} of ${to.length} recipients.`);
    } finally {
      transport.close();
    }
  };
