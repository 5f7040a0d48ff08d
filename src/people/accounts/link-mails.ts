import type { Knex } from 'knex';
import type { SendMail } from '../../mail/send-mail.ts';
import { LINK_HOURS, type LinkStore, type NewLink } from './link-store.ts';

export interface LinkMailsOptions {
  readonly knex: Knex;
  readonly links: Pick<LinkStore, 'issue'>;
  readonly sendMail: SendMail;
  readonly addressOf: LinkAddress;
}

/** The address of the page that a link opens. */
export type LinkAddress = (link: Pick<NewLink, 'secret'>) => string;

/** The secret is behind #, so that neither logs nor other sites get it. */
export const linkAddress =
  (toolUrl: string): LinkAddress =>
  ({ secret }) =>
    `${toolUrl}/static/sign-in.html#${secret}`;

export const createLinkMails = ({ knex, links, sendMail, addressOf }: LinkMailsOptions) => ({
  /** Rejects when the mail server does not take it. */
  invite: ({ email, name }: { readonly email: string; readonly name: string }, link: NewLink, inviter: string): Promise<void> =>
    sendMail({
      to: [email],
      subject: 'You are invited to the ad server',
      text: `Hello ${name},\n\n${inviter} has invited you to the ad server. Choose a password here, until ${link.expiresAt.toUTCString()}:\n\n${addressOf(link)}\n\nThe link can be used once.\n`,
    }),
  /** Does nothing when there is no account with this address that may sign in. */
  reset: async (email: string): Promise<void> => {
    const person = await knex('people')
      .whereRaw('lower(email) = lower(?)', [email])
      .whereNull('disabled_at')
      .first<{ id: number; email: string } | undefined>('id', 'email');
    const link = person && (await links.issue('reset', person.id, person.email));
    if (!link) return;
    await sendMail({
      to: [person.email],
      subject: 'Set a new password for the ad server',
      text: `Someone asked for a new password for this address. If it was you, choose one here within ${LINK_HOURS.reset} hour:\n\n${addressOf(link)}\n\nIf it was not you, ignore this mail: your password stays as it is.\n`,
    });
  },
});

/** Mails with links that set a password. undefined: SMTP_URL is not set, and staff hand the links over. */
export type LinkMails = ReturnType<typeof createLinkMails>;
