import type { Caller } from '../../access/caller.ts';
import { answer, done, noSuch, refuse, type Handlers, type Refused } from '../../api/route.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { LinkAddress, LinkMails } from './link-mails.ts';
import type { LinkStore, NewLink } from './link-store.ts';
import type { IsBeyond } from '../roles/is-beyond.ts';
import { managesAll } from './managed-people.ts';
import type { PERSON_API } from './person-api.ts';
import { MAX_PEOPLE, type PersonRefused, type PersonStore } from './person-store.ts';

export interface PersonRoutesOptions {
  readonly people: PersonStore;
  readonly isBeyond: IsBeyond;
  readonly sessions: SessionStore;
  readonly links: LinkStore;
  readonly mails: LinkMails | undefined;
  readonly addressOf: LinkAddress;
  /** Whether there are accounts of this service. */
  readonly hasAccounts: boolean;
  readonly onMailFailed: (fault: Error) => void;
}

const refusalOf = ({ refusal, faults }: PersonRefused): Refused => {
  switch (refusal) {
    case 'email_taken':
      return refuse('conflict', 'There is a person with this e-mail address already. Enable them again if they are disabled.');
    case 'too_many':
      return refuse('conflict', `There are ${MAX_PEOPLE} people who may sign in: disable one first.`);
    case 'last_administrator':
      return refuse('conflict', 'This is the last administrator for all publishers: make another person one first.');
    case 'invalid':
      return refuse('invalid_request', 'The person has faults.', faults);
    case 'missing':
      return noSuch('person');
  }
};

/** People who may sign in. */
export const personRoutes = (options: PersonRoutesOptions): Handlers<typeof PERSON_API> => {
  const { people, isBeyond, sessions, links, mails, addressOf, hasAccounts, onMailFailed } = options;

  const handOver = async (link: NewLink | undefined, to: { readonly email: string; readonly name: string }, { fullName, name }: Caller) => {
    if (!link) return { link: null, mailed: false, expires_at: null };
    // The link is in the answer: whoever invites can hand it over when no mail arrives.
    const mailed =
      (await mails?.invite(to, link, fullName ?? name).then(
        () => true,
        (fault: Error) => {
          onMailFailed(fault);
          return false;
        },
      )) ?? false;
    return { link: addressOf(link), mailed, expires_at: link.expiresAt.toISOString() };
  };

  return {
    listPeople: async (page, { caller }) => answer(await people.list(page, caller)),
    getPerson: async ({ id }, { caller }) => {
      const person = await people.find(id, caller);
      return person ? answer(person) : noSuch('person');
    },
    invitePerson: async ({ body }, { actor, caller }) => {
      const person = await people.create(body, caller);
      if ('refusal' in person) return refusalOf(person);
      const link = hasAccounts ? await links.issue('invitation', person.id, actor) : undefined;
      return answer({ ...person, ...(await handOver(link, person, caller)) });
    },
    changePerson: async ({ id, body }, { caller }) => {
      const known = await people.find(id, caller);
      if (!known) return noSuch('person');
      const beyond = await isBeyond(known, caller);
      if (beyond) return beyond;
      const isOfRights = body.roles !== undefined || body.publishers !== undefined || body.advertisers !== undefined;
      if (isOfRights && !managesAll(caller))
        return refuse('forbidden', 'You may change the names of people of advertisers, and disable and enable them, not their rights.');
      const person = await people.change(id, body, caller);
      return 'refusal' in person ? refusalOf(person) : answer(person);
    },
    linkPerson: async ({ id }, { actor, caller }) => {
      if (!hasAccounts) return refuse('conflict', 'There are no accounts of this service (ACCOUNTS): people sign in at the provider.');
      const person = await people.find(id, caller);
      if (!person) return noSuch('person');
      const beyond = await isBeyond(person, caller);
      if (beyond) return beyond;
      const link = await links.issue(person.has_password ? 'reset' : 'invitation', id, actor);
      return link ? answer(await handOver(link, person, caller)) : refuse('conflict', 'The person is disabled: enable them first.');
    },
    listSessionsOfPerson: async ({ id }) => answer(await sessions.list(id)),
    endSessionsOfPerson: async ({ id }, { caller }) => {
      const person = await people.find(id, caller);
      const beyond = person && (await isBeyond(person, caller));
      if (beyond) return beyond;
      await sessions.revoke({ personId: id });
      return done();
    },
  };
};
