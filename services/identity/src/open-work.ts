import type { CallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { type OpenWork, openWorkOperation } from '@tandem/contract';
import { contracts } from './contracts.ts';

/** Counts the open work of a user in one service. */
export type CountOpenWork = (input: { body: { userId: number }; as: ServiceContext }) => Promise<OpenWork>;
type ServiceContext = Parameters<ReturnType<typeof createServiceClient>[string]>[0]['as'];

/**
 * Clients for every service whose contract has an operation that counts open work.
 * @param settings the settings of identity; a service called notes needs `NOTES_URL`
 * @throws if the address of one of these services is missing
 */
export function openWorkCounters(settings: object, signer: CallerSigner): CountOpenWork[] {
  const addresses = settings as Readonly<Record<string, unknown>>;
  return Object.entries(contracts).flatMap(([service, operations]) => {
    const row = openWorkOperation(operations);
    if (!row) return [];
    const name = `${service.toUpperCase()}_URL`;
    const baseUrl = addresses[name];
    if (typeof baseUrl !== 'string') throw new Error(`identity asks ${service} for open work and needs ${name}`);
    const client = createServiceClient({ operations: { [row.id]: row }, baseUrl, service: 'identity', signer });
    return [client[row.id] as unknown as CountOpenWork];
  });
}
