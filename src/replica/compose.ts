import { composeBackground } from './compose-background.ts';
import { composeDelivery } from './compose-delivery.ts';
import { composeHttp } from './compose-http.ts';
import { layFoundation, type ComposeOptions } from './lay-foundation.ts';
import { lifecycle, type Readiness, type Service } from './lifecycle.ts';
import { watchService } from './watch-service.ts';

/**
 * One replica: settings and stores, delivery on top of them, the work in the background, and the
 * HTTP surface.
 */
export const compose = (options: ComposeOptions): Service => {
  const foundation = layFoundation(options);
  const delivery = composeDelivery(foundation);
  const background = composeBackground(foundation, delivery);
  const readiness: Readiness = { draining: false, isReady: () => delivery.catalog.current() !== undefined && !readiness.draining };
  const server = composeHttp(foundation, delivery, readiness.isReady);
  const checkRedis = watchService({ ...foundation, ...delivery, isReady: readiness.isReady });
  return lifecycle({ foundation, delivery, background, server, readiness, checkRedis });
};
