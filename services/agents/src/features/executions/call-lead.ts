import type { Tools } from '../../handler.ts';
import { simulateCall } from '../../telephony.ts';
import { type LineContext, startCall } from '../calls/start-call.ts';
import { attemptOf, type CalledLead, cannotCall } from './call-outcome.ts';
import type { Result } from './result.ts';

/** Calls a lead: in live through the telephone provider, which reports the end later; in the sandbox no call is made. */
export async function callLead(tools: Tools, context: LineContext, on: CalledLead): Promise<Result> {
  if (on.lead.phone === null) {
    const error = { code: 'no_phone', message: 'The lead has no phone number' };
    return { is: 'attempted', outcome: cannotCall(on, error) };
  }
  if (context.scope.environment !== 'sandbox') return startCall(tools, context, on);
  const { lead, execution } = on;
  return {
    is: 'attempted',
    outcome: attemptOf(simulateCall({ leadId: lead.id, attempt: execution.attempt }), on),
  };
}
