# Writes the list of common passwords: perl common_passwords.pl FILE.
#
# From the dictionaries of zxcvbn (Debian: libdata-password-zxcvbn-perl): the commonest of ten million
# breached passwords, words of English texts, first names and surnames. One a line, sorted.
use v5.36;
use Data::Password::zxcvbn::RankedDictionaries::Common;
use Data::Password::zxcvbn::RankedDictionaries::English;

my %words;
for my $language (qw(Common English)) {
    no strict 'refs';
    my %lists = %{"Data::Password::zxcvbn::RankedDictionaries::${language}::ranked_dictionaries"};
    $words{fc $_} = 1 for map { keys %$_ } values %lists;
}
open my $output, '>:utf8', $ARGV[0] or die "$ARGV[0]: $!\n";
say $output $_ for sort keys %words;
close $output or die "$ARGV[0]: $!\n";
