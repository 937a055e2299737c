import { ApiLogDetail } from '@tandem/integrations-contract';
import type { ApiLog } from '../../generated/client.ts';

const fields = ApiLogDetail.pick({ direction: true, environment: true });

/** Converts a row to the contract's `ApiLogDetail`. */
export function asApiLog(row: ApiLog) {
  return { ...row, ...fields.parse(row) };
}
