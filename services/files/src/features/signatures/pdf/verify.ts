import * as asn1 from 'asn1js';
import * as pki from 'pkijs';
import { decodedSandboxAttribute } from './sign.ts';

/** The signature of this deployment in a document. */
export interface VerifiedSignature {
  /** Whether the document is unchanged since this deployment signed it, outside of the sandbox. */
  valid: boolean;
  /** Why it is not valid; null if it is. */
  problem: 'no_signature' | 'unreadable' | 'changed' | 'appended' | 'other_certificate' | 'sandbox' | null;
}

const signedMax = 4;

/**
 * Checks the last signature of a document: that it covers all bytes of the file, that these are unchanged, that a certificate of
 * this deployment made it, and that it is no test in the sandbox.
 * @param known certificates of the deployment, in DER
 */
export async function verifySignature(bytes: Uint8Array, known: readonly Uint8Array[]): Promise<VerifiedSignature> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const range = lastRange(file);
  if (!range) return invalid('no_signature');
  const [start, length, after, rest] = range;
  const holeEnd = after;
  const isWhole = start === 0 && length > 0 && holeEnd > length && holeEnd + rest <= file.length;
  if (!isWhole) return invalid('unreadable');
  const hex = /^<([0-9A-Fa-f]+)>$/.exec(file.subarray(length, holeEnd).toString('latin1'))?.[1];
  if (!hex) return invalid('unreadable');
  try {
    const result = await check(
      Buffer.concat([file.subarray(0, length), file.subarray(holeEnd, holeEnd + rest)]),
      Buffer.from(hex, 'hex'),
      known,
    );
    if (result !== null) return invalid(result);
  } catch {
    return invalid('unreadable');
  }
  return holeEnd + rest === file.length ? { valid: true, problem: null } : invalid('appended');
}

function invalid(problem: Exclude<VerifiedSignature['problem'], null>): VerifiedSignature {
  return { valid: false, problem };
}

function lastRange(file: Buffer): [number, number, number, number] | undefined {
  let before = file.length;
  for (let tried = 0; tried < signedMax; tried++) {
    const at = before < 0 ? -1 : file.lastIndexOf('/ByteRange', before);
    if (at < 0) return undefined;
    const found = /^\/ByteRange\s*\[\s*(\d{1,12})\s+(\d{1,12})\s+(\d{1,12})\s+(\d{1,12})\s*\]/.exec(
      file.subarray(at, at + 200).toString('latin1'),
    );
    if (found) return found.slice(1, 5).map(Number) as [number, number, number, number];
    before = at - 1;
  }
  return undefined;
}

async function check(
  content: Buffer,
  contents: Buffer,
  known: readonly Uint8Array[],
): Promise<'unreadable' | 'changed' | 'other_certificate' | 'sandbox' | null> {
  // The contents are padded with zeros, which `fromBER` ignores.
  const { result } = asn1.fromBER(new Uint8Array(contents));
  const signed = new pki.SignedData({ schema: new pki.ContentInfo({ schema: result }).content });
  if (!isDetached(signed)) return 'unreadable';
  const isIntact = await signed
    .verify({ signer: 0, data: new Uint8Array(content).buffer, checkChain: false })
    .catch(() => false);
  if (!isIntact) return 'changed';
  const signer = signed.signerInfos[0];
  const certificates = (signed.certificates ?? []).filter((one) => one instanceof pki.Certificate);
  const own = certificates.find(
    ({ issuer, serialNumber }) =>
      signer?.sid instanceof pki.IssuerAndSerialNumber &&
      signer.sid.issuer.isEqual(issuer) &&
      signer.sid.serialNumber.isEqual(serialNumber),
  );
  const der = own && Buffer.from(own.toSchema(true).toBER(false));
  if (!der || !known.some((one) => der.equals(one))) return 'other_certificate';
  return signer?.signedAttrs?.attributes.some(({ type }) => type === decodedSandboxAttribute) ? 'sandbox' : null;
}

/**
 * Whether the signature is the only one and has no content of its own, as in a PDF (ISO 32000-2, 12.8.3.3). The library would
 * check the signature of content that comes with it instead of the document, so that it would be valid in every file.
 */
function isDetached({ encapContentInfo, signerInfos: [signer, ...others] }: pki.SignedData): boolean {
  return !encapContentInfo.eContent && signer?.signedAttrs !== undefined && others.length === 0;
}
