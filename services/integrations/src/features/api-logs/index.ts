import type { apiLogs, internalApiCalls } from '@tandem/integrations-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { getApiLog } from './get-api-log.ts';
import { listApiLogs } from './list-api-logs.ts';
import { recordApiCalls } from './record-api-calls.ts';

export const apiLogHandlers = { listApiLogs, getApiLog, recordApiCalls } satisfies Handlers<
  typeof apiLogs & typeof internalApiCalls,
  Tx
>;
