import type { LinkAddress } from './accounts/link-mails.ts';
import type { LinkStore } from './accounts/link-store.ts';

/**
 * Prints the link that makes the first administrator, where there is no account yet. Of several
 * replicas that start at once, one prints it. It holds for an hour; a later start prints another one.
 * It is written to the output and not to the log, which others may read.
 *
 * @param print writes to the output of the process
 */
export const offerFirstAdministrator = async (
  links: Pick<LinkStore, 'issueFirst'>,
  addressOf: LinkAddress,
  print: (text: string) => void,
): Promise<void> => {
  const link = await links.issueFirst();
  if (!link) return;
  print(
    `There is no account yet. This link makes the first administrator, once, until ${link.expiresAt.toUTCString()}:\n  ${addressOf(link)}\n`,
  );
};
