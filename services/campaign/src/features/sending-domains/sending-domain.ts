import { generateKeyPair, randomBytes, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { DnsRecord, SendingDomain } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import { z } from 'zod';
import type { SendingDomain as DomainRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { withChecks } from '../dns/checks.ts';
import { neededRecords } from './records.ts';

export type SendingDomainRecord = z.output<typeof SendingDomain>;
type Spf = Pick<Tools, 'spf'>;

const keyBits = 2048;
const sealContext = 'dkim key';
const generate = promisify(generateKeyPair);

/** The encrypted columns of the keys. */
export const sealedDkimKeys = ['private_key', 'next_private_key'].map((column) => ({
  table: 'sending_domain',
  column,
  context: sealContext,
  ref: 'seal_ref',
}));

const columns = SendingDomain.pick({ status: true });
const Checks = z.array(DnsRecord.pick({ purpose: true, status: true, found: true }));

/** Converts a row to the contract's `SendingDomain`. */
export function asSendingDomain({ spf }: Spf, row: DomainRow): SendingDomainRecord {
  return { ...row, ...columns.parse(row), records: withChecks(neededRecords(row, spf), checksOf(row)) };
}

/** The results of the last look-up. */
export function checksOf({ checks }: Pick<DomainRow, 'checks'>): z.output<typeof Checks> {
  return Checks.parse(checks);
}

/** The content of the events of a domain. */
export function eventOf(record: SendingDomainRecord) {
  const { id: sendingDomainId, domain, status } = record;
  return { data: { sendingDomainId, domain, status }, record };
}

/** A new key, its selector, and the proof of ownership. */
export async function newDomainSecrets(tools: Pick<Tools, 'seal'>) {
  const sealRef = randomUUID();
  return { token: randomBytes(16).toString('hex'), ...(await newKey(tools, sealRef)), sealRef };
}

/** A new key and its selector. */
export async function newKey({ seal }: Pick<Tools, 'seal'>, sealRef: string) {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: keyBits,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    // Random, so that several tenants, and the sandbox, can have the same domain.
    selector: `tandem-${randomBytes(4).toString('hex')}`,
    publicKey: publicKey.toString('base64'),
    privateKey: seal.seal(privateKey, `${sealContext} ${sealRef}`),
  };
}

/** The key of a domain that signs messages. */
export function dkimOf(
  { seal }: Pick<Tools, 'seal'>,
  { domain, selector, privateKey, sealRef }: Pick<DomainRow, 'domain' | 'selector' | 'privateKey' | 'sealRef'>,
) {
  const key = seal.open(privateKey, `${sealContext} ${sealRef}`);
  return { domainName: domain, keySelector: selector, privateKey: key };
}

/** Locks a domain, so that checks on it still hold when it is written. */
export async function lockSendingDomain(tx: Tx, id: number): Promise<DomainRow> {
  const row = await tx.sendingDomain.lockFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}
