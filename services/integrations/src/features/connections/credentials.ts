import type { FieldError } from '@tandem/contract';
import { fail, failField, readFields } from '@tandem/service';
import { z } from 'zod';
import type { Secret } from '../../connectors/calling.ts';
import type { Connector } from '../../connectors/connector.ts';
import type { Tools } from '../../handler.ts';

/**
 * Reads the credentials that a user entered by the schema of the connector, and checks the address of the user's system.
 * @throws ApiError 422 naming the fields
 */
export async function readCredentials(
  { target, sockets }: Pick<Tools, 'target' | 'sockets'>,
  connector: Connector,
  credentials: unknown,
): Promise<Secret> {
  if (!connector.credentials)
    throw failField(
      'connectorKey',
      `Connections of ${connector.key} have no credentials: authorize them by POST /v1/integrations/oauth/${connector.provider}/authorize`,
    );
  const errors: FieldError[] = [];
  const read = readFields(z.object({ credentials: connector.credentials }), { credentials }, errors);
  if (!read) throw fail('validation_failed', errors);
  const refusal = connector.refusal?.(read.credentials, sockets);
  if (refusal) throw failField(`credentials.${refusal.field}`, refusal.message);
  // Connections are called as in live, also those of the sandbox.
  const address = connector.ownAddress?.(read.credentials);
  const message = address && (await target.resolvedUrlError(address.url, 'live'));
  if (message) throw failField(`credentials.${address.field}`, message);
  return read.credentials;
}
