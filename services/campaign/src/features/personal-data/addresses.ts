import type { Person } from '@tandem/contract';
import type { Tools } from '../../handler.ts';
import { digestsOf, normalizedValue } from '../suppressions/address.ts';

/** The digests of all addresses of a person. They contain the channel, so they need no condition on it. */
export function digestsOfPerson(tools: Pick<Tools, 'seal'>, { emails, phones }: Person): string[] {
  const addresses = [
    ...emails.map((value) => ({ channel: 'email', value }) as const),
    ...phones.map((value) => ({ channel: 'sms', value }) as const),
  ];
  return addresses.flatMap(({ channel, value }) => {
    const normalized = normalizedValue(channel, value);
    return typeof normalized === 'string' ? digestsOf(tools, channel, normalized) : [];
  });
}
