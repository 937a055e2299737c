import type { signatureRequests } from '@tandem/files-contract';
import type { Handler } from '../../handler.ts';
import { findPresent } from '../files/file.ts';
import { asRequest, peopleAndFields } from './request.ts';

export const listSignatureRequests: Handler<typeof signatureRequests.listSignatureRequests> = async ({
  params,
  query,
  tx,
  list,
}) => {
  const file = await findPresent(tx, params.id);
  const where = { fileId: file.id, ...(query.status && { status: query.status }) };
  const page = await list({ model: tx.signatureRequest, where });
  const { signers, fields } = await peopleAndFields(
    tx,
    page.items.map(({ id }) => id),
  );
  const items = page.items.map((request) => {
    const isOfRequest = ({ requestId }: { requestId: number }) => requestId === request.id;
    return asRequest({ request, signers: signers.filter(isOfRequest), fields: fields.filter(isOfRequest) });
  });
  return { ...page, items };
};
