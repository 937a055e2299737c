-- AlterTable
ALTER TABLE "certificate" ADD COLUMN     "issuer" TEXT NOT NULL DEFAULT '';
