import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import type { Operations } from '@tandem/contract';
import type { TestFleet } from '@tandem/test-fleet';

/** The context of a call by an operator. */
export const asOperator = { environment: 'live', requestId: 'e2e' } as const;

/** A client of identity's operations that only services and operators call. */
export function operatorClient<Ops extends Operations>({ environment }: TestFleet, operations: Ops) {
  const { INTERNAL_SECRETS, IDENTITY_URL } = environment['gateway'] as Record<string, string>;
  const signer = createCallerSigner(INTERNAL_SECRETS as string);
  return createServiceClient({ operations, baseUrl: IDENTITY_URL as string, service: 'e2e', signer });
}
