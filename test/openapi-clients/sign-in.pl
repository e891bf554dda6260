# A client in Perl, which OpenAPI::Client makes of the description when it is started: it signs in,
# hands its sign-in to another device, keeps that signed in, and signs out. Dies where an answer is
# not as it should be.
use strict;
use warnings;
use Digest::SHA qw(sha256);
use MIME::Base64 qw(encode_base64url);
use OpenAPI::Client;

my ($description, $user, $password, $wrong) = @ARGV;
my $client = OpenAPI::Client->new("file://$description");

# Answers the body; dies for another status than the one that is expected. The client itself has
# judged by the description what is sent, and answers 400 where it is not allowed.
sub ask {
  my ($status, $operation, $parameters, $body, $token) = @_;
  my $authorize = sub { $_[1]->req->headers->authorization("Bearer $token") if defined $token };
  $client->ua->once(start => $authorize);
  my $tx = $client->call($operation, $parameters, defined $body ? (json => $body) : ());
  my $got = $tx->res->code // 'nothing';
  die "$operation answered $got: " . $tx->res->body . "\n" if $got ne $status;
  return $tx->res->json;
}

my $refused = ask(401, logIn => {}, {user => $user, password => $wrong});
die "no name of the refusal\n" if $refused->{error} ne 'Unauthorized';

my $login = ask(200, logIn => {}, {user => $user, password => $password});
my $token = $login->{data}{authToken};
die "not $user\n" if ask(200, getMe => {}, undef, $token)->{username} ne $user;

my $verifier  = encode_base64url(join '', map { chr int rand 256 } 1 .. 32);
my $challenge = encode_base64url(sha256($verifier));
my $issued    = ask(200, issueAuthorizationCode => {}, {codeChallenge => $challenge}, $token);
my $code      = $issued->{data}{authorizationCode};
my $tokens = ask(200, exchangeCode => {}, {authorizationCode => $code, codeVerifier => $verifier});
my $next   = ask(200, refresh => {}, {refreshToken => $tokens->{refresh_token}});

my $sessions = ask(200, listSessions => {}, undef, $token)->{data}{sessions};
my ($other) = grep { !$_->{current} } @$sessions;
ask(200, endSession => {id => $other->{id}}, undef, $token);
ask(401, getMe => {}, undef, $next->{access_token});
ask(200, logOut => {}, undef, $token);
ask(401, getMe => {}, undef, $token);
print "signed in, refreshed and signed out\n";
