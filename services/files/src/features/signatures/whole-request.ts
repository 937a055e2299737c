import type {
  SignatureField as FieldRow,
  SignatureRequest as RequestRow,
  Signer as SignerRow,
} from '../../generated/client.ts';

/** A request with its people, by their position, and its fields. */
export interface WholeRequest {
  request: RequestRow;
  signers: SignerRow[];
  fields: FieldRow[];
}
