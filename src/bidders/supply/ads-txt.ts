import { readAdsTxtRecord, type AdsTxtRecord } from '../../catalog/model/ads-txt-record.ts';
import { sellerIdOf } from '../../catalog/model/seller-node.ts';
import type { PublisherSupply } from '../../catalog/postgres/read-supply.ts';
import { isPublisher } from './sellers-json.ts';

/** What the ads.txt of a publisher must have for the bidders that buy its inventory, without repetitions. */
export const adsTxtRecords = (supply: PublisherSupply): readonly AdsTxtRecord[] => {
  const records = supply.bidders.flatMap(({ schain, adsTxt }): readonly AdsTxtRecord[] => [
    ...(schain === null
      ? []
      : [
          {
            domain: schain.asi,
            account: sellerIdOf(schain, supply.id),
            relation: isPublisher(schain, supply) ? ('DIRECT' as const) : ('RESELLER' as const),
            certification: undefined,
          },
        ]),
    ...adsTxt.flatMap((line) => readAdsTxtRecord(line) ?? []),
  ]);
  return [...new Map(records.map((record) => [writeRecord(record), record])).values()];
};

/** These records as lines of ads.txt 1.1 (IAB Tech Lab). */
export const writeAdsTxt = (supply: PublisherSupply): string =>
  [
    `# What the ad server of ${supply.domain} needs. Add it to the records of your other sellers.`,
    `OWNERDOMAIN=${supply.domain}`,
    ...adsTxtRecords(supply).map(writeRecord),
    '',
  ].join('\n');

const writeRecord = ({ domain, account, relation, certification }: AdsTxtRecord): string =>
  [domain, account, relation, ...(certification === undefined ? [] : [certification])].join(', ');

/** What is missing or different in the ads.txt that a site serves. */
export const adsTxtFaults = (supply: PublisherSupply, served: string): readonly string[] => {
  const lines = served.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const found = lines.flatMap((line) => readAdsTxtRecord(line) ?? []);
  const owners = lines.flatMap((line) => /^\s*OWNERDOMAIN\s*=\s*([^\s#;]+)/i.exec(line)?.[1] ?? []);
  return [
    ...adsTxtRecords(supply).flatMap((record) => recordFault(record, found)),
    ...owners
      .filter((owner) => owner.toLowerCase() !== supply.domain)
      .map((owner) => `OWNERDOMAIN is ${owner}, and the domain of the publisher ${supply.domain}`),
  ];
};

/** Account ids are compared as they are written; the relation and the certification in any case. */
const recordFault = (record: AdsTxtRecord, found: readonly AdsTxtRecord[]): readonly string[] => {
  const same = found.filter(({ domain, account }) => domain === record.domain && account === record.account);
  const related = same.filter(({ relation }) => relation === record.relation);
  const isCertified = ({ certification }: AdsTxtRecord): boolean =>
    record.certification === undefined || certification?.toLowerCase() === record.certification.toLowerCase();
  if (same.length === 0) return [`lacks: ${writeRecord(record)}`];
  if (related.length === 0) return [`has ${same[0]?.relation} in place of ${record.relation}: ${writeRecord(record)}`];
  return related.some(isCertified) ? [] : [`lacks the certification id: ${writeRecord(record)}`];
};
