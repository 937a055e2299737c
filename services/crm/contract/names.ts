import { nameRecords, operations } from '@tandem/contract';

/** Names of records, which the gateway adds to responses for `include`. */
export const internalNames = operations({
  nameCrmRecords: nameRecords(['lead', 'opportunity', 'account', 'task', 'status_definition', 'pipeline']),
});
