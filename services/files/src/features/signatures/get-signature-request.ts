import type { signatureRequests } from '@tandem/files-contract';
import type { Handler } from '../../handler.ts';
import { asRequest, findRequest } from './request.ts';

export const getSignatureRequest: Handler<typeof signatureRequests.getSignatureRequest> = async ({ params, tx }) =>
  asRequest(await findRequest(tx, params.requestId));
