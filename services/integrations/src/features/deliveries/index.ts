import type { deliveries } from '@tandem/integrations-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { getDelivery } from './get-delivery.ts';
import { listDeliveries } from './list-deliveries.ts';
import { retryDelivery } from './retry-delivery.ts';

export const deliveryHandlers = { listDeliveries, getDelivery, retryDelivery } satisfies Handlers<
  typeof deliveries,
  Tx
>;
