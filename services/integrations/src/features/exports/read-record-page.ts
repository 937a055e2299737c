import { deliveries } from '@tandem/integrations-contract';
import { recordPagesHandler } from '@tandem/service';
import { listDeliveries } from '../deliveries/list-deliveries.ts';

/** The lists of integrations that other services export. */
export const readRecordPage = recordPagesHandler([{ row: deliveries.listDeliveries, handler: listDeliveries }]);
