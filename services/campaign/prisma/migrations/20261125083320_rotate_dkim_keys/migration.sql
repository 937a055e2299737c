-- AlterTable
ALTER TABLE "sending_domain" ADD COLUMN     "next_private_key" TEXT,
ADD COLUMN     "next_public_key" TEXT,
ADD COLUMN     "next_selector" TEXT;
