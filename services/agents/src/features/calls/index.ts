import type { calls } from '@tandem/agents-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { receiveCallStatus } from './receive-call-status.ts';

export const callHandlers = (tools: Tools) =>
  ({ receiveCallStatus: receiveCallStatus(tools) }) satisfies Handlers<typeof calls, Tx>;
