import { scriptLimit } from '@tandem/agents-contract';
import { failField } from '@tandem/service';
import { twimlOf } from '@tandem/telephony';

/**
 * Fails for a script of a call that the telephone provider would refuse.
 * @param field the field of the request that has the script
 * @throws ApiError 422
 */
export function checkScript(field: string, script: string | null | undefined): void {
  if (script && twimlOf(script) === undefined) throw failField(field, `Is too long. ${scriptLimit}`);
}
