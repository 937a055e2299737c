-- AlterTable
ALTER TABLE "sending_domain" ADD COLUMN     "next_private_key" TEXT,
ADD COLUMN     "next_public_key" TEXT,
ADD COLUMN     "next_selector" TEXT;

-- When the encryption key changes, the relay seals it again.
GRANT SELECT ("next_private_key"), UPDATE ("next_private_key") ON "sending_domain" TO "tandem_campaign_relay";
