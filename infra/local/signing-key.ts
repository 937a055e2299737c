import { createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import * as asn1 from 'asn1js';
import * as pki from 'pkijs';

const years = 10;
const oids = { commonName: '2.5.4.3', keyUsage: '2.5.29.15', sha256WithRsa: '1.2.840.113549.1.1.11' };
// Digital signature and non-repudiation.
const keyUsage = new Uint8Array([0xc0]);

/**
 * A key for signed documents with a certificate that it issues itself, as PEM. PDF readers show its signatures as intact
 * but of an unknown issuer; an operator replaces it with a key whose certificate an authority issued.
 */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const certificate = new pki.Certificate();
  certificate.version = 2;
  certificate.serialNumber = new asn1.Integer({ valueHex: new Uint8Array([0x01, ...randomBytes(15)]) });
  for (const name of [certificate.issuer, certificate.subject])
    name.typesAndValues.push(
      new pki.AttributeTypeAndValue({
        type: oids.commonName,
        value: new asn1.Utf8String({ value: 'Tandem document signatures' }),
      }),
    );
  certificate.notBefore.value = new Date();
  certificate.notAfter.value = new Date(Date.now() + years * 365.25 * 86_400_000);
  certificate.extensions = [
    new pki.Extension({
      extnID: oids.keyUsage,
      critical: true,
      extnValue: new asn1.BitString({ valueHex: keyUsage, unusedBits: 6 }).toBER(false),
    }),
  ];
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  certificate.subjectPublicKeyInfo = pki.PublicKeyInfo.fromBER(new Uint8Array(publicKey));
  const algorithm = new pki.AlgorithmIdentifier({ algorithmId: oids.sha256WithRsa, algorithmParams: new asn1.Null() });
  certificate.signature = algorithm;
  certificate.signatureAlgorithm = algorithm;
  certificate.tbsView = new Uint8Array(certificate.encodeTBS().toBER(false));
  const signature = sign('sha256', certificate.tbsView, privateKey);
  certificate.signatureValue = new asn1.BitString({ valueHex: new Uint8Array(signature) });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return `${pem}${certificatePem(certificate.toSchema(true).toBER(false))}`;
}

function certificatePem(der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
