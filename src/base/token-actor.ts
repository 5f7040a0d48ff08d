const PREFIX = 'token:';

/** How the audit trail names an API token: `token:nightly export`. One of ADMIN_TOKEN has no colon in its name. */
export const tokenActor = (name: string): string => PREFIX + name;

/** The name of the token that did something; undefined: it was no token. */
export const tokenOf = (actor: string): string | undefined => (actor.startsWith(PREFIX) ? actor.slice(PREFIX.length) : undefined);
