import type { Knex } from 'knex';
import { maySee } from '../access/scope.ts';
import { answer, done, noSuch, refuse, type Handlers } from '../api/route.ts';
import type { Fault } from '../base/fault.ts';
import type { EventRow } from './read-inputs.ts';
import type { TRAFFIC_EVENT_API, TrafficEventWire } from './traffic-event-api.ts';

/** What staff know of traffic to come: an election night with three times the requests. */
export const trafficEventRoutes = ({ knex }: { readonly knex: Knex }): Handlers<typeof TRAFFIC_EVENT_API> => {
  const eventSeen = async (id: number, publishers: Parameters<typeof maySee>[0]): Promise<boolean> => {
    const row = await knex('traffic_events').where({ id }).first<{ publisher_id: number } | undefined>('publisher_id');
    return row !== undefined && maySee(publishers, row.publisher_id);
  };
  const faultsOfEvent = async (
    { publisher_id: id, from, to }: EventBody,
    publishers: Parameters<typeof maySee>[0],
  ): Promise<readonly Fault[]> => {
    const isKnown = maySee(publishers, id) && (await knex('publishers').where({ id }).first('id')) !== undefined;
    return [
      ...(isKnown ? [] : [{ pointer: '/publisher_id', detail: 'does not exist' }]),
      ...(Date.parse(from) < Date.parse(to) ? [] : [{ pointer: '/to', detail: 'must be after from' }]),
    ];
  };

  return {
    listTrafficEvents: async ({ publisher: id }, { caller }) => {
      if (!maySee(caller.publishers, id)) return noSuch('publisher');
      const rows = await knex('traffic_events')
        .where({ publisher_id: id })
        .orderBy('from_at', 'desc')
        .limit(MAX_EVENTS)
        .select<OwnedEventRow[]>('*');
      return answer(rows.map(eventWire));
    },
    createTrafficEvent: async ({ body }, { caller }) => {
      const faults = await faultsOfEvent(body, caller.publishers);
      if (faults.length > 0) return refuse('invalid_request', 'The event has faults.', faults);
      const [stored] = (await knex('traffic_events').insert(eventRow(body)).returning('*')) as OwnedEventRow[];
      return answer(eventWire(stored!));
    },
    replaceTrafficEvent: async ({ id, body }, { caller }) => {
      if (!(await eventSeen(id, caller.publishers))) return noSuch('traffic event');
      const faults = await faultsOfEvent(body, caller.publishers);
      if (faults.length > 0) return refuse('invalid_request', 'The event has faults.', faults);
      const [stored] = (await knex('traffic_events').where({ id }).update(eventRow(body)).returning('*')) as OwnedEventRow[];
      return stored ? answer(eventWire(stored)) : noSuch('traffic event');
    },
    deleteTrafficEvent: async ({ id }, { caller }) => {
      if (!(await eventSeen(id, caller.publishers))) return noSuch('traffic event');
      await knex('traffic_events').where({ id }).delete();
      return done();
    },
  };
};

const MAX_EVENTS = 500;

interface OwnedEventRow extends EventRow {
  readonly id: number;
  readonly publisher_id: number;
}

type EventBody = Omit<TrafficEventWire, 'id'>;

const eventRow = ({ publisher_id, name, from, to, factor, placements, key_values }: EventBody) => ({
  ...{ publisher_id, name, factor, placements },
  ...{ from_at: new Date(from), to_at: new Date(to), key_values: JSON.stringify(key_values) },
});

const eventWire = ({ from_at, to_at, placements, key_values, ...row }: OwnedEventRow): TrafficEventWire => ({
  ...{ id: row.id, publisher_id: row.publisher_id, name: row.name, factor: row.factor },
  ...{ from: from_at.toISOString(), to: to_at.toISOString(), placements: [...placements], key_values },
});
