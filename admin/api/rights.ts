import type { EntityAction } from '../../src/bookings/entity-kind.ts';
import type { Answered, Api, Method, PathOf } from './api.ts';
import type { Answer, Kind, Records } from './wire.ts';

/** A path of the records of the catalog. */
type RecordPath = `/${Kind}` | `/${Kind}/{id}` | `/${Kind}/{id}/${EntityAction}`;

export type Me = Answered<'GET', '/me'>;

/** Who uses the page, and what the service lets them do. */
export interface Rights {
  readonly me: Me;
  /** Whether the service takes a call, but for records that are not the caller's own. The service decides, by its own table of routes. */
  may<M extends Method>(method: M, path: PathOf<M> | RecordPath): boolean;
  /** Whether the person manages all people; others who may invite, those of advertisers within their own scope. */
  readonly managesAll: boolean;
  /** Whether a record may be changed: placements that are open to all publishers are shared. */
  mayChange(kind: Kind, record: Records[Kind]): boolean;
}

/** Of a page that has not read them: nothing. */
export const NO_RIGHTS: Rights = {
  me: {
    ...{ kind: 'machine', id: null, name: '', email: null, roles: [], permissions: [], publishers: null, advertisers: null },
    session_id: null,
    preferences: null,
    sells_to_agents: false,
  },
  may: () => false,
  mayChange: () => false,
  managesAll: false,
};

export const readRights = async (api: Api): Promise<Answer<Rights>> => {
  const [me, routes] = await Promise.all([api.get('/me'), api.get('/me/routes')]);
  if (!me.ok) return me;
  if (!routes.ok) return routes;
  const allowed = new Set(routes.value.map(({ method, path }) => `${method} ${path}`));
  const may: Rights['may'] = (method, path) => allowed.has(`${method} /api${path}`);
  const { publishers } = me.value;
  const mayChange: Rights['mayChange'] = (kind, record) =>
    may('PATCH', `/${kind}/{id}`) && !(publishers && 'publisher_id' in record && record.publisher_id === null);
  return { ok: true, value: { me: me.value, may, mayChange, managesAll: may('GET', '/people/{id}/sessions') } };
};
