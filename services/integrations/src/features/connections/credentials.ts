import type { FieldError } from '@tandem/contract';
import { fail, readFields } from '@tandem/service';
import { z } from 'zod';
import type { Connector, Secret } from '../../connectors/connector.ts';
import type { Tools } from '../../handler.ts';

/**
 * Reads the credentials that a user entered by the schema of the connector, and checks the address of the user's system.
 * @throws ApiError 422 naming the fields
 */
export async function readCredentials(
  { target }: Pick<Tools, 'target'>,
  connector: Connector,
  credentials: unknown,
  environment: string,
): Promise<Secret> {
  if (!connector.credentials)
    throw fail('validation_failed', [
      {
        field: 'connectorKey',
        message: `Connections of ${connector.key} have no credentials: authorize them by POST /v1/integrations/oauth/${connector.provider}/authorize`,
      },
    ]);
  const errors: FieldError[] = [];
  const read = readFields(z.object({ credentials: connector.credentials }), { credentials }, errors);
  if (!read) throw fail('validation_failed', errors);
  const address = connector.ownAddress?.(read.credentials);
  const message = address === undefined ? undefined : await target.resolvedUrlError(address, environment);
  if (message) throw fail('validation_failed', [{ field: 'credentials.baseUrl', message }]);
  return read.credentials;
}
