import { BlockList, isIPv6 } from 'node:net';
import type { Caller } from '@tandem/caller';
import type { FieldError } from '@tandem/contract';
import { fail } from '@tandem/service';
import type { ApiKey as KeyRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

type Limits = Pick<KeyRow, 'expiresAt' | 'allowedIps'>;

/**
 * Rejects a key that works longer or from other networks than the key of the caller: whoever obtains a key must not be able
 * to get rid of its limits.
 */
export async function checkKeyLimits(tx: Tx, { type, keyId }: Caller, wanted: Limits): Promise<void> {
  if (type !== 'key') return;
  // Not by `tx.apiKey`, which finds only keys within the permission of the caller.
  const [own] = await tx.sql<Limits>`
    SELECT expires_at AS "expiresAt", allowed_ips AS "allowedIps" FROM api_key WHERE id = ${keyId ?? 0}`;
  if (!own) throw fail('forbidden');
  const errors: FieldError[] = [];
  if (own.expiresAt && (!wanted.expiresAt || wanted.expiresAt > own.expiresAt)) {
    const message = `Your key works until ${own.expiresAt.toISOString()}, so this key must not work longer; send that time or an earlier one, or sign in as a user`;
    errors.push({ field: 'expiresAt', message });
  }
  if (own.allowedIps.length && !isWithin(wanted.allowedIps, own.allowedIps)) {
    const message =
      'Your key works from some networks only, so this key must not work from others; send networks within those of your key, or sign in as a user';
    errors.push({ field: 'allowedIps', message });
  }
  if (errors.length) throw fail('forbidden', errors);
}

/** Whether each network is part of one of the others. No networks mean any network. */
function isWithin(networks: readonly string[], others: readonly string[]): boolean {
  return networks.length > 0 && networks.every((one) => others.some((other) => isPartOf(one, other)));
}

function isPartOf(one: string, other: string): boolean {
  const [inner, outer] = [parse(one), parse(other)];
  if (inner.family !== outer.family || inner.prefix < outer.prefix) return false;
  const list = new BlockList();
  list.addSubnet(outer.address, outer.prefix, outer.family);
  return list.check(inner.address, inner.family);
}

function parse(network: string) {
  const [address = '', prefix] = network.split('/');
  const family = isIPv6(address) ? ('ipv6' as const) : ('ipv4' as const);
  const bits = family === 'ipv6' ? 128 : 32;
  return { address, family, prefix: prefix === undefined ? bits : Number(prefix) };
}
