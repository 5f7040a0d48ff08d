import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../src/embedded/free-port.ts';
import { startProcess } from './start-process.ts';
import { startRoundRobin } from './start-round-robin.ts';
import { untilTrue } from './until-true.ts';

export interface Balancer {
  readonly url: string;
  readonly name: 'haproxy' | 'built in';
  close(): Promise<void>;
}

/**
 * A load balancer in front of replicas, as one would run it: health checks on /ready, and a GET is sent again when its replica died. haproxy when it is
 * installed, else a small one of our own that does the same.
 */
export const startBalancer = async (ports: readonly number[], folder: string): Promise<Balancer> => {
  const program = (process.env['PATH'] ?? '').split(path.delimiter).map((place) => path.join(place, 'haproxy'));
  const haproxy = [...program, '/usr/sbin/haproxy'].find((file) => path.isAbsolute(file) && existsSync(file));
  if (haproxy === undefined) return startRoundRobin(ports);
  const port = await freePort();
  const file = path.join(folder, `haproxy-${port}.cfg`);
  await writeFile(file, configuration(port, ports));
  const running = await startProcess(haproxy, ['-db', '-f', file], { PATH: process.env['PATH'] });
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(`${url}/health`).then(
      ({ status }) => status === 200,
      () => false,
    );
  const up = await untilTrue(() => running.hasEnded() || answers(), 10_000);
  if (up === undefined || running.hasEnded()) throw new Error(`haproxy did not start:\n${running.output()}`);
  return { url, name: 'haproxy', close: () => running.end('SIGKILL') };
};

const configuration = (port: number, ports: readonly number[]): string => `
global
  maxconn 4096
  nbthread 1
defaults
  mode http
  timeout connect 500ms
  timeout client 60s
  timeout server 20s
  timeout check 2s
  timeout http-keep-alive 60s
  retries 3
  option redispatch 1
  retry-on conn-failure empty-response
  http-reuse safe
frontend pages
  bind 127.0.0.1:${port}
  # A POST may have done its work: only what nobody has answered to at all is tried elsewhere.
  http-request disable-l7-retry if METH_POST
  default_backend replicas
backend replicas
  balance roundrobin
  option httpchk GET /ready
  default-server check inter 200ms fall 1 rise 1
${ports.map((replica, i) => `  server replica${i} 127.0.0.1:${replica}`).join('\n')}
`;
