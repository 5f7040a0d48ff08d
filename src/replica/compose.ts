import { composeBackground } from './compose-background.ts';
import { composeDelivery } from './compose-delivery.ts';
import { composeHttp } from './compose-http.ts';
import { composePeople } from './compose-people.ts';
import { layFoundation, type ComposeOptions } from './lay-foundation.ts';
import { createReadiness, lifecycle } from './lifecycle.ts';
import { watchService } from './watch-service.ts';

/**
 * One replica: settings and stores, delivery on top of them, the work in the background, the
 * people who may use the tool, and the HTTP surface.
 */
export const compose = (options: ComposeOptions) => {
  const foundation = layFoundation(options);
  const delivery = composeDelivery(foundation);
  const background = composeBackground(foundation, delivery);
  const readiness = createReadiness(() => delivery.catalog.current() !== undefined);
  const people = composePeople(foundation, delivery);
  const server = composeHttp(foundation, delivery, background, people, readiness);
  const checkRedis = watchService({ ...foundation, ...delivery, replicas: background.replicas, readiness });
  return lifecycle({ foundation, delivery, background, people, server, readiness, checkRedis });
};
