import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readSecretList } from '@tandem/secrets';

/** A key of the deployment and the certificates of its chain, its own first, in DER. */
export interface SigningKey {
  /** PKCS #8 in DER. */
  privateKey: Uint8Array;
  algorithm: 'RSASSA-PKCS1-v1_5' | 'ECDSA';
  certificates: Uint8Array[];
}

/** The keys of the deployment: the first one signs, the certificates of all are recognized. */
export interface SigningKeys {
  current: SigningKey;
  /** Certificates in DER. */
  known: Uint8Array[];
}

/**
 * Parses the setting SIGNING_KEY: `id:pem[,id:pem…]`, each a private key followed by its certificate and those of the
 * authorities that issued it.
 * @throws Error when a value is not a key with its certificate
 */
export function readSigningKeys(setting: string): SigningKeys {
  const [current, ...others] = readSecretList(setting).map(({ value }) => readSigningKey(value)) as [
    SigningKey,
    ...SigningKey[],
  ];
  return { current, known: [current, ...others].map(({ certificates }) => certificates[0] as Uint8Array) };
}

/** Returns what is wrong with one value of the setting; undefined for a valid value. */
export function signingKeyProblem(value: string): string | undefined {
  try {
    readSigningKey(value);
    return undefined;
  } catch {
    return 'Each value must be the PEM of an RSA (2048 bits or more) or P-256 private key, followed by its certificate';
  }
}

function readSigningKey(value: string): SigningKey {
  const pem = value.replaceAll('\\n', '\n');
  const key = createPrivateKey(
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END [A-Z ]*PRIVATE KEY-----/.exec(pem)?.[0] ?? '',
  );
  const certificates = (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (text) => new X509Certificate(text),
  );
  const [own] = certificates;
  if (!own?.checkPrivateKey(key)) throw new Error('The certificate does not belong to the key');
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  const isRsa = key.asymmetricKeyType === 'rsa' && modulusLength >= 2048;
  if (!isRsa && namedCurve !== 'prime256v1') throw new Error('The key is too weak');
  return {
    privateKey: new Uint8Array(key.export({ type: 'pkcs8', format: 'der' })),
    algorithm: isRsa ? 'RSASSA-PKCS1-v1_5' : 'ECDSA',
    certificates: certificates.map(({ raw }) => new Uint8Array(raw)),
  };
}
