import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from '../../setup/at-end.ts';

/** Servers of others, on one origin: wrappers around an ad, which note what is reported to them. */
export interface WrappedVast {
  /** The tag of the outermost of so many wrappers. */
  readonly tag: (wrappers: number) => string;
  /** What was reported, as `<wrapper> <event>`; the ad itself is 0. */
  readonly reports: readonly string[];
}

export const startWrappedVast = async (media: () => string): Promise<WrappedVast> => {
  const reports: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', origin);
    const level = Number(url.searchParams.get('n'));
    response.setHeader('Access-Control-Allow-Origin', request.headers.origin ?? '*').setHeader('Access-Control-Allow-Credentials', 'true');
    if (url.pathname === '/report') {
      reports.push(`${level} ${url.searchParams.get('what')}`);
      return response.writeHead(204).end();
    }
    return response.setHeader('Content-Type', 'application/xml').end(level === 0 ? inLine(media()) : wrapper(level));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const report = (level: number, what: string): string => `<![CDATA[${origin}/report?n=${level}&what=${what}]]>`;
  const tracking = (level: number): string =>
    `<TrackingEvents>${['start', 'complete'].map((event) => `<Tracking event="${event}">${report(level, event)}</Tracking>`).join('')}</TrackingEvents>`;
  const viewable = (level: number): string => `<ViewableImpression><Viewable>${report(level, 'viewable')}</Viewable></ViewableImpression>`;
  const VERIFICATION = `<AdVerifications><Verification vendor="v"><TrackingEvents><Tracking event="verificationNotExecuted">${report(0, 'unverified-[REASON]')}</Tracking></TrackingEvents></Verification></AdVerifications>`;
  const document = (inner: string): string =>
    `<?xml version="1.0"?><VAST version="4.2" xmlns="http://www.iab.com/VAST"><Ad id="a">${inner}</Ad></VAST>`;
  const wrapper = (level: number): string =>
    document(
      `<Wrapper><AdSystem>w</AdSystem><Error>${report(level, 'error')}</Error><Impression>${report(level, 'impression')}</Impression>${viewable(level)}<Creatives><Creative><Linear>${tracking(level)}</Linear></Creative></Creatives><VASTAdTagURI><![CDATA[${origin}/?n=${level - 1}]]></VASTAdTagURI></Wrapper>`,
    );
  const inLine = (file: string): string =>
    document(
      `<InLine><AdSystem>i</AdSystem><Error>${report(0, 'error')}</Error><Impression>${report(0, 'impression')}</Impression>${viewable(0)}<AdTitle>t</AdTitle>${VERIFICATION}<Creatives><Creative><Linear>${tracking(0)}<Duration>00:00:01</Duration><MediaFiles><MediaFile delivery="progressive" type="video/mp4" width="64" height="36"><![CDATA[${file}]]></MediaFile></MediaFiles></Linear></Creative></Creatives></InLine>`,
    );
  return { reports, tag: (wrappers) => `${origin}/?n=${wrappers}` };
};
